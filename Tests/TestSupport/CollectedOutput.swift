// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Glibc
import Synchronization

/// The output of a descriptor, read on a separate thread; closes the descriptor at the end.
final class CollectedOutput: Sendable {
    private let state = Mutex((bytes: [UInt8](), isWhole: false))

    init(_ descriptor: Int32) {
        // Many tests run at once: a dispatch queue would need as many waiting threads, and adds them slowly.
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = unsafe read(descriptor, &buffer, buffer.count)
                if count > 0 {
                    state.withLock { $0.bytes += buffer.prefix(count) }
                } else if count == 0 || errno != EINTR {
                    break
                }
            }
            close(descriptor)
            state.withLock { $0.isWhole = true }
        }
    }

    var soFar: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

    /// Whether the last writer has closed.
    var isWhole: Bool { state.withLock { $0.isWhole } }

    /// The complete output, once the last writer has closed.
    ///
    /// What a program left behind may keep its output open for ever: after a minute, or if the task is cancelled, it is
    /// the output so far.
    func whole() async -> String {
        for _ in 0..<30_000 where !isWhole {
            guard (try? await Task.sleep(for: .milliseconds(2))) != nil else { break }
        }
        return soFar
    }
}
#endif
