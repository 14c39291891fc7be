// SPDX-License-Identifier: Apache-2.0

/// What a call to an API may still try, and the tokens that it uses.
struct CallState: Sendable {
    private static let maximumRedirects = 5

    /// The tokens of the next attempt.
    var tokens: TokenSet
    /// How often the call may be sent again because the API demands a nonce.
    var nonce = 1
    /// The same because the clock of the API differs.
    var clock = 1
    /// The same because the API rejects the token.
    var refresh = 1
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

    /// Uses up one attempt for a reason.
    ///
    /// - Returns: `false` if none is left.
    mutating func use(_ reason: WritableKeyPath<Self, Int>) -> Bool {
        guard self[keyPath: reason] > 0 else { return false }
        self[keyPath: reason] -= 1
        return true
    }
}
