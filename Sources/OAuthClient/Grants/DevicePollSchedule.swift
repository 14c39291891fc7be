// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// When to ask again whether the user has finished (RFC 8628 section 3.5).
struct DevicePollSchedule {
    private var interval: Duration
    /// How much longer to wait while the server does not answer.
    private var factor = 1
    private var retryAfter = Duration.zero

    private static let maximumFactor = 64

    init(interval: Duration) {
        self.interval = interval
    }

    /// How long to wait before the next question, the first one too.
    var wait: Duration { max(interval * factor, retryAfter) }

    /// Takes what came of a question into account.
    ///
    /// - Throws: The error when it is no use to ask again.
    mutating func adjust(to error: OAuthClientError) throws(OAuthClientError) {
        switch error.answer?.error {
        case .some(.authorizationPending): continueAfterResponse()
        case .some(.slowDown):
            // For this and all later questions.
            interval += .seconds(5)
            continueAfterResponse()
        case .some(.accessDenied):
            throw OAuthClientError(.authorizationRejected, "the user or the server said no", answer: error.answer)
        case .some(.expiredToken):
            throw OAuthClientError(.timedOut, "the user did not finish in time", answer: error.answer)
        default:
            guard error.code == .transportFailed || error.code == .serverUnavailable else { throw error }
            factor = min(factor * 2, Self.maximumFactor)
            retryAfter = error.retryAfter ?? .zero
        }
    }

    private mutating func continueAfterResponse() {
        factor = 1
        retryAfter = .zero
    }
}
