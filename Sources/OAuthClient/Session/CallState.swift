// SPDX-License-Identifier: Apache-2.0

/// What a call to an API may still try, and the tokens that it uses.
struct CallState: Sendable {
    private static let maximumRedirects = 5

    /// The tokens of the next attempt.
    var tokens: TokenSet
    /// The nonces, clocks and rejected tokens for which the call was sent again.
    var repeats = SingleRepeats()
    /// How often the call was sent, without the repetitions above.
    var attempts = 0
    /// How many redirects may be followed.
    var redirects: Int
    /// What observers are told of the next sending, which counts all repetitions.
    var reported: RequestAttempt

    init(tokens: TokenSet, followsRedirects: Bool, purpose: RequestReport.Purpose = .api) {
        self.tokens = tokens
        reported = RequestAttempt(purpose)
        redirects = followsRedirects ? Self.maximumRedirects : 0
    }

    /// Uses up the repetition for a reason, and notes it for observers.
    ///
    /// - Returns: `false` if it was used up before.
    mutating func mayRepeat(because reason: RequestReport.RetryReason) -> Bool {
        guard repeats.use(reason) else { return false }
        reported.repeats(because: reason)
        return true
    }

    /// Uses up one redirect.
    ///
    /// - Returns: `false` if none is left.
    mutating func mayFollowRedirect() -> Bool {
        guard redirects > 0 else { return false }
        redirects -= 1
        return true
    }
}
