// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCore
import Synchronization

/// The received part of one response: filled by the loop, read by the sender of the request.
final class CurlResponse: Sendable {
    private typealias Waiter = CheckedContinuation<CurlHeadReader.Head, any Error>

    private struct State {
        var head: Result<CurlHeadReader.Head, any Error>?
        var waiter: Waiter?
    }

    /// The maximum number of unread bytes of a body; beyond it, the loop stops receiving.
    private static let bodyCapacity = 262_144

    private let state = Mutex(State())
    /// The received part of the body.
    let body: ResponseBuffer

    /// Makes an empty response.
    ///
    /// - Parameter onRoom: Called when there is space again after data was paused.
    init(onRoom: @escaping @Sendable () -> Void) {
        body = ResponseBuffer(maximumSize: Self.bodyCapacity, onRoom: onRoom)
    }

    /// Waits for the head.
    ///
    /// Only one caller may wait.
    func head() async throws -> CurlHeadReader.Head {
        try await withCheckedThrowingContinuation { continuation in
            let head = state.withLock { state in
                if state.head == nil { state.waiter = continuation }
                return state.head
            }
            if let head { continuation.resume(with: head) }
        }
    }

    /// Stores the head.
    func begin(_ head: CurlHeadReader.Head) {
        settle(.success(head))
    }

    /// Stores the outcome; only the first one counts.
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
