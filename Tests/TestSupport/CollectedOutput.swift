// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Foundation
import Glibc
import Synchronization

/// The output of a descriptor, read on a separate thread; closes the descriptor at the end.
final class CollectedOutput: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    private let done = DispatchGroup()

    init(_ descriptor: Int32) {
        done.enter()
        // Many tests run at once: a dispatch queue would need as many waiting threads, and adds them slowly.
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = unsafe read(descriptor, &buffer, buffer.count)
                if count > 0 {
                    bytes.withLock { $0 += buffer.prefix(count) }
                } else if count == 0 || errno != EINTR {
                    break
                }
            }
            close(descriptor)
            done.leave()
        }
    }

    var soFar: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

    /// Whether the last writer has closed.
    var isWhole: Bool { done.wait(timeout: .now()) == .success }

    /// The complete output, once the last writer has closed.
    func whole() async -> String {
        await withCheckedContinuation { continuation in
            done.notify(queue: .global()) { continuation.resume() }
        }
        return soFar
    }
}
#endif
