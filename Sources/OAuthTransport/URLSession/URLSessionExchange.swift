// SPDX-License-Identifier: Apache-2.0

#if FoundationAPI || canImport(Darwin)
import Foundation
import OAuthCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request of URLSession and its response.
///
/// It is cancelled with its last reference.
final class URLSessionExchange: ReceivedBody {
    private let task: URLSessionDataTask
    private let router: URLSessionTaskRouter
    private let body: ResponseBuffer

    /// Makes an exchange for a task that has not been started.
    init(task: URLSessionDataTask, router: URLSessionTaskRouter, maximumUnreadSize: Int) {
        self.task = task
        self.router = router
        body = ResponseBuffer(maximumSize: maximumUnreadSize)
    }

    deinit {
        router.abandon(task)
    }

    /// Sends the request and waits for the head of the response.
    func head() async throws(OAuthCoreError) -> HTTPURLResponse {
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { router.run(task, body: body, $0) }
            } onCancel: {
                router.cancel(task)
            }
        } catch {
            throw Self.coreError(error)
        }
    }

    /// Waits for the next piece of the body; `nil` at its end.
    func nextChunk() async throws(OAuthCoreError) -> [UInt8]? {
        do {
            return try await body.next()
        } catch {
            throw Self.coreError(error)
        }
    }

    /// Ends the request because it takes too long.
    func giveUp() {
        giveUp(OAuthCoreError(.transportFailed, "the server did not answer in time"))
    }

    /// Ends the request with an error of the caller.
    func giveUp(_ error: OAuthCoreError) {
        router.giveUp(task, error)
    }

    private static func coreError(_ error: any Error) -> OAuthCoreError {
        error as? OAuthCoreError ?? OAuthCoreError(.transportFailed, "the connection failed", underlying: error)
    }
}
#endif
