// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// When to refresh an access token, by the monotonic clock.
struct TokenLifetime: Sendable {
    private let expiry: Duration?
    private let renewal: Duration?

    /// Converts the stored expiry time to the monotonic clock.
    ///
    /// - Parameters:
    ///   - expiresAt: When the token expires, by the wall clock; `nil` means never.
    ///   - ahead: How long before the expiry it may be refreshed.
    ///   - now: The time by the wall clock.
    ///   - elapsed: The time by the monotonic clock.
    ///   - entropy: Randomises the moment, so that many devices that started together do not refresh together.
    init(expiresAt: Timestamp?, ahead: Duration, now: Timestamp, elapsed: Duration, entropy: any Entropy) {
        guard let expiresAt else {
            (expiry, renewal) = (nil, nil)
            return
        }
        let remaining = max(expiresAt - now, .zero)
        // Between half of `ahead` and all of it, and never more than half of the remaining lifetime.
        let jitter = entropy.bytes(1).reduce(0) { $0 + Int($1) }
        let lead = min(ahead / 2 + ahead / 2 * jitter / 255, remaining / 2)
        expiry = elapsed + remaining
        renewal = elapsed + remaining - lead
    }

    /// Whether the token has expired.
    func isOver(at elapsed: Duration) -> Bool { expiry.map { $0 <= elapsed } ?? false }

    /// Whether the token should be refreshed; it may still be valid.
    func isDue(at elapsed: Duration) -> Bool { renewal.map { $0 <= elapsed } ?? false }
}
