// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// When an access token is to be renewed, by a clock that nobody sets.
struct TokenLifetime: Sendable {
    private let expiry: Duration?
    private let renewal: Duration?

    /// Carries the stored time of expiry over to the monotonic clock.
    ///
    /// - Parameters:
    ///   - expiresAt: When the token expires, by the wall clock; `nil` means never.
    ///   - ahead: How long before that it is renewed at the earliest.
    ///   - now: The time by the wall clock.
    ///   - elapsed: The time by the monotonic clock.
    ///   - entropy: Many devices that started together must not refresh together.
    init(expiresAt: Timestamp?, ahead: Duration, now: Timestamp, elapsed: Duration, entropy: any Entropy) {
        guard let expiresAt else {
            (expiry, renewal) = (nil, nil)
            return
        }
        let remaining = max(expiresAt - now, .zero)
        // Between half of it and all of it, and never more than half of what is left.
        let jitter = entropy.bytes(1).reduce(0) { $0 + Int($1) }
        let lead = min(ahead / 2 + ahead / 2 * jitter / 255, remaining / 2)
        expiry = elapsed + remaining
        renewal = elapsed + remaining - lead
    }

    /// Whether the token has expired.
    func isOver(at elapsed: Duration) -> Bool { expiry.map { $0 <= elapsed } ?? false }

    /// Whether it is time for a new token, while the old one may still be good.
    func isDue(at elapsed: Duration) -> Bool { renewal.map { $0 <= elapsed } ?? false }
}
