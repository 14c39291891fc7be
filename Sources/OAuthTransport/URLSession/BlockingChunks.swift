// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Waits for the pieces of a body, on a thread that may block.
final class BlockingChunks: Sendable {
    private struct State {
        var chunk: Result<[UInt8]?, any Error> = .success(nil)
        var onFailure: (@Sendable () -> Void)?
    }

    private let body: RequestBodyStream
    private let state = Mutex(State())

    init(_ body: RequestBodyStream) {
        self.body = body
    }

    /// Sets what is told that the body broke off.
    func setFailureHandler(_ onFailure: @escaping @Sendable () -> Void) {
        state.withLock { $0.onFailure = onFailure }
    }

    /// Waits for the next piece; `nil` at the end.
    func next() -> Result<[UInt8]?, any Error> {
        let isThere = DispatchSemaphore(value: 0)
        Task {
            let chunk: Result<[UInt8]?, any Error>
            do {
                chunk = .success(try await body.next())
            } catch {
                chunk = .failure(error)
            }
            state.withLock { $0.chunk = chunk }
            isThere.signal()
        }
        isThere.wait()
        let (chunk, onFailure) = state.withLock { ($0.chunk, $0.onFailure) }
        if case .failure = chunk { onFailure?() }
        return chunk
    }
}
