// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem

/// How long a session waits after failed refreshes.
struct RefreshPause: Sendable {
    /// `Retry-After` counts up to this time.
    static let longestRetryAfter = Duration.seconds(3600)
    /// How long to wait before another refresh that is not needed yet.
    private static let early = Duration.seconds(30)

    /// The number of failures in a row.
    private var failures = 0
    /// Before this time no refresh is sent, unless the user asks for it.
    private var until = Duration.zero
    /// Before this time no refresh is sent at all: the server asked for it.
    private var serverUntil = Duration.zero
    private var earlyUntil = Duration.zero
    private var cause: OAuthClientError?

    /// Whether an access token that is still valid may be refreshed.
    func allowsEarlyRefresh(at now: Duration) -> Bool { now >= max(earlyUntil, until, serverUntil) }

    /// Whether the server rejected the newest refresh because it does not know the client.
    var isOfUnknownClient: Bool { cause?.isOfUnknownClient == true }

    /// Checks that a refresh may be sent.
    ///
    /// - Parameters:
    ///   - now: The time by the monotonic clock.
    ///   - asked: Whether the caller asked for a refresh, rather than for a token.
    /// - Throws: ``OAuthClientError/Code/serverUnavailable`` with the time that remains.
    func requireTurn(at now: Duration, asked: Bool) throws(OAuthClientError) {
        let end = asked ? serverUntil : max(until, serverUntil)
        guard end > now else { return }
        throw OAuthClientError(retryAfter: end - now, cause: cause)
    }

    /// Notes a failed refresh.
    mutating func failed(_ error: OAuthClientError, at now: Duration, _ fraction: RefreshBackOff.Fraction) {
        // Another process has failed, and all wait for it.
        if error.underlying is RefreshNotSent {
            until = now + (error.retryAfter ?? .zero)
            return
        }
        cause = error
        earlyUntil = now + max(error.retryAfter ?? .zero, Self.early)
        if let retryAfter = error.retryAfter {
            serverUntil = now + min(retryAfter, Self.longestRetryAfter)
            return
        }
        guard Self.isOfServer(error) else { return }
        until = now + RefreshBackOff.wait(afterEarlier: failures, fraction)
        failures += 1
    }

    mutating func succeeded() {
        self = RefreshPause()
    }

    /// Failures of the device, such as a locked key, send nothing and need no pause.
    static func isOfServer(_ error: OAuthClientError) -> Bool {
        switch error.code {
        case .transportFailed, .serverUnavailable, .malformedResponse: true
        // The server may know the client again later. Other errors are about this one request.
        case .serverRejected: error.isRefusalOfClient
        default: false
        }
    }
}

/// A refresh that was not sent, since another one had failed a moment before.
struct RefreshNotSent: Error {}

extension OAuthClientError {
    /// Whether the server does not know the client, or not for refreshes (RFC 6749 section 5.2).
    var isRefusalOfClient: Bool {
        code == .serverRejected && [.invalidClient, .unauthorizedClient].contains(answer?.error)
    }

    /// Whether the server does not know the client (RFC 6749 section 5.2).
    package var isOfUnknownClient: Bool { code == .serverRejected && answer?.error == .invalidClient }

    /// No request is sent before a time that the server named, or after failures.
    init(retryAfter remaining: Duration, cause: (any Error)? = nil) {
        self.init(
            .serverUnavailable,
            "no refresh is sent yet, since the last one failed",
            answer: (cause as? OAuthClientError)?.answer,
            retryAfter: remaining,
            underlying: cause
        )
    }
}
