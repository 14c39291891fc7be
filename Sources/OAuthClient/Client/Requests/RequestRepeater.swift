// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

/// Sends requests to the authorization server again after failures that may pass.
///
/// Each sending has its own proof and its own client assertion.
struct RequestRepeater: Sendable {
    /// Which failures are followed by another sending.
    struct Rule: Sendable {
        /// The most often that the request is sent.
        var attempts: Int
        /// Whether it may reach the server twice.
        let isHarmless: Bool
        /// The responses that may be another one soon.
        let statuses: Set<Int>
        /// The wait before the second sending; each later one is twice as long.
        let pause: Duration
        /// How long to wait in all.
        let patience: Duration

        /// A grant that the server has certainly not processed: no connection, 429, 503.
        ///
        /// A code is good for a minute or so, and a user who has consented should not have to do it again. After a time-out
        /// nothing is repeated: the code may be used up.
        static let grant = Rule(
            attempts: 4,
            isHarmless: false,
            statuses: [429, 503],
            pause: .seconds(1),
            patience: .seconds(20)
        )

        /// A request that changes nothing if it reaches the server twice: a fetched document, a pushed authorization request, a
        /// revocation (RFC 7009 section 2.2.1 asks clients to send it again).
        static let harmless = Rule(
            attempts: 2,
            isHarmless: true,
            statuses: [429, 502, 503, 504],
            pause: .milliseconds(500),
            patience: .seconds(10)
        )
    }

    let sleeper: any Clock<Duration>
    let entropy: any Entropy
    let budget: RetryBudget

    /// Sends a request until it gets a response that says something, or too often.
    ///
    /// - Parameters:
    ///   - rule: Which failures are followed by another sending.
    ///   - attempt: What the request is for.
    ///   - send: Sends it once.
    /// - Returns: The last response, whatever its status.
    /// - Throws: ``OAuthClientError/Code/cancelled``, and the last error of `send`.
    func run(
        _ rule: Rule,
        _ attempt: inout RequestAttempt,
        _ send: (inout RequestAttempt) async throws(OAuthClientError) -> HTTPResponse
    ) async throws(OAuthClientError) -> HTTPResponse {
        budget.countCall()
        var waited = Duration.zero
        for number in 1..<max(rule.attempts, 1) {
            var asked: Duration?
            do throws(OAuthClientError) {
                let response = try await send(&attempt)
                guard rule.statuses.contains(response.status) else { return response }
                asked = FailedResponse(response).retryAfter
                if waited + (asked ?? .zero) > rule.patience || !mayRepeat(rule) { return response }
            } catch {
                guard isPassing(error, rule), mayRepeat(rule) else { throw error }
            }
            let pause = asked ?? self.pause(rule, after: number)
            waited += pause
            try await sleep(pause)
            attempt.repeats(because: .unavailable)
        }
        return try await send(&attempt)
    }

    /// How long to wait before a request is sent again that consists of several, and that has failed once.
    ///
    /// - Returns: The wait; `nil` if it is not sent again.
    func pause(_ rule: Rule, after error: OAuthClientError) -> Duration? {
        budget.countCall()
        let isUnavailable = error.status.map(rule.statuses.contains) ?? isPassing(error, rule)
        guard isUnavailable, (error.retryAfter ?? .zero) <= rule.patience, mayRepeat(rule) else { return nil }
        return error.retryAfter ?? pause(rule, after: 1)
    }

    /// Waits before a request is sent again.
    func sleep(_ duration: Duration) async throws(OAuthClientError) {
        do {
            try await sleeper.sleep(for: duration)
        } catch {
            throw OAuthClientError(error, otherwise: .cancelled, "the clock does not wait")
        }
    }

    /// A part of a wait at random, so that many devices spread their requests.
    func randomPart(of longest: Duration) -> Duration {
        let drawn = entropy.bytes(2).reduce(Double.zero) { $0 * 256 + Double($1) }
        return longest * (drawn / 65_535)
    }

    /// Whether a request that failed may be sent again.
    private func isPassing(_ error: OAuthClientError, _ rule: Rule) -> Bool {
        error.code == .transportFailed && (rule.isHarmless || !error.mayHaveBeenProcessed)
    }

    /// Grants are worth any repetition; others are limited, so that a server that is down is not flooded.
    private func mayRepeat(_ rule: Rule) -> Bool { !rule.isHarmless || budget.take() }

    private func pause(_ rule: Rule, after number: Int) -> Duration {
        let longest = rule.pause * (1 << min(number - 1, 16))
        return rule.isHarmless ? randomPart(of: longest) : longest
    }
}

extension OAuth2Client {
    /// Sends requests again after failures that may pass.
    var repeater: RequestRepeater {
        RequestRepeater(sleeper: sleeper, entropy: entropy, budget: retryBudget)
    }
}
