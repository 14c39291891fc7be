// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCore
import Synchronization

/// What has arrived for one request: filled by the loop, emptied by whoever sent it.
final class CurlResponse: Sendable {
    private typealias Waiter = CheckedContinuation<CurlHeadReader.Head, any Error>

    private struct State {
        var head: Result<CurlHeadReader.Head, any Error>?
        var waiter: Waiter?
    }

    /// So much of a body waits to be read, in bytes; then the server is made to wait.
    private static let bodyCapacity = 262_144

    private let state = Mutex(State())
    /// The body as far as it arrived.
    let body: ResponseBuffer

    /// Makes a place for an answer.
    ///
    /// - Parameter onRoom: Is told that there is room again after something was put off.
    init(onRoom: @escaping @Sendable () -> Void) {
        body = ResponseBuffer(maximumSize: Self.bodyCapacity, onRoom: onRoom)
    }

    /// Waits for the head; for one caller.
    func head() async throws -> CurlHeadReader.Head {
        try await withCheckedThrowingContinuation { continuation in
            let head = state.withLock { state in
                if state.head == nil { state.waiter = continuation }
                return state.head
            }
            if let head { continuation.resume(with: head) }
        }
    }

    /// Takes the head.
    func begin(_ head: CurlHeadReader.Head) {
        settle(.success(head))
    }

    /// Takes the end, good or bad; the first one counts.
    func finish(_ error: OAuthCoreError? = nil) {
        body.finish(error)
        settle(.failure(error ?? OAuthCoreError(.transportFailed, "the answer is not one of HTTP")))
    }

    private func settle(_ head: Result<CurlHeadReader.Head, any Error>) {
        let waiter = state.withLock { state -> Waiter? in
            guard state.head == nil else { return nil }
            state.head = head
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(with: head)
    }
}
#endif
