// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// When to poll the token endpoint (RFC 8628 section 3.5).
struct DevicePollSchedule {
    private var interval: Duration
    /// Multiplies the interval while the server does not respond.
    private var factor = 1
    private var retryAfter = Duration.zero

    private static let maximumFactor = 64

    init(interval: Duration) {
        self.interval = interval
    }

    /// How long to wait before the next poll, including the first one.
    var wait: Duration { max(interval * factor, retryAfter) }

    /// Adjusts the schedule to the error of a poll.
    ///
    /// - Throws: The error, if polling again is pointless.
    mutating func adjust(to error: OAuthClientError) throws(OAuthClientError) {
        switch error.answer?.error {
        case .some(.authorizationPending): continueAfterResponse()
        case .some(.slowDown):
            // For this and all later polls.
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
