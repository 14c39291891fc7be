// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCore

/// The response to one request of libcurl.
///
/// The request ends with the last reference to this object.
final class CurlExchange: ReceivedBody {
    private let answer: CurlResponse
    private let onAbandon: @Sendable () -> Void

    /// Makes an exchange.
    ///
    /// - Parameters:
    ///   - answer: Where the loop puts the response.
    ///   - onAbandon: Ends the request; called at least once.
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
            // A caller that was cancelled, for example, may still hold a reference.
            onAbandon()
            throw Self.coreError(error)
        }
    }

    private static func coreError(_ error: any Error) -> OAuthCoreError {
        error as? OAuthCoreError ?? OAuthCoreError(.transportFailed, "the connection failed", underlying: error)
    }
}
#endif
