// SPDX-License-Identifier: Apache-2.0

#if !canImport(FoundationNetworking)
import Dispatch
import Synchronization

/// Waits for the pieces of a body, on a thread that may block and that no task waits for.
final class BlockingChunks: Sendable {
    private let body: RequestBodyStream
    private let chunk = Mutex<Result<[UInt8]?, any Error>>(.success(nil))

    init(_ body: RequestBodyStream) {
        self.body = body
    }

    /// Waits for the next piece; `nil` at the end.
    func next() -> Result<[UInt8]?, any Error> {
        let isThere = DispatchSemaphore(value: 0)
        Task {
            let next: Result<[UInt8]?, any Error>
            do {
                next = .success(try await body.next())
            } catch {
                next = .failure(error)
            }
            chunk.withLock { $0 = next }
            isThere.signal()
        }
        isThere.wait()
        return chunk.withLock { $0 }
    }
}
#endif
