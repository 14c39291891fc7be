// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCore

/// What comes back for one request of libcurl; the request ends when nobody holds this any more.
final class CurlExchange: ReceivedBody {
    private let answer: CurlResponse
    private let onAbandon: @Sendable () -> Void

    /// Makes an exchange.
    ///
    /// - Parameters:
    ///   - answer: Where the loop puts what arrives.
    ///   - onAbandon: Ends the request; called once at least.
    init(_ answer: CurlResponse, onAbandon: @escaping @Sendable () -> Void) {
        self.answer = answer
        self.onAbandon = onAbandon
    }

    deinit {
        onAbandon()
    }

    /// Waits for the head of the response.
    func head() async throws(OAuthCoreError) -> CurlHeadReader.Head {
        do {
            return try await withTaskCancellationHandler {
                try await answer.head()
            } onCancel: {
                answer.finish(OAuthCoreError(.cancelled, "the request was cancelled"))
                onAbandon()
            }
        } catch {
            throw Self.coreError(error)
        }
    }

    /// Waits for the next piece of the body; `nil` at its end.
    func nextChunk() async throws(OAuthCoreError) -> [UInt8]? {
        do {
            return try await answer.body.next()
        } catch {
            // Whoever waited was cancelled, say, and still holds this.
            onAbandon()
            throw Self.coreError(error)
        }
    }

    private static func coreError(_ error: any Error) -> OAuthCoreError {
        error as? OAuthCoreError ?? OAuthCoreError(.transportFailed, "the connection failed", underlying: error)
    }
}
#endif
