// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// The state of a code before its exchange, with the rule of ``GrantStore/redeem(_:issuing:at:)`` for all drivers.
package struct CodeState: Sendable {
    /// When the code expires.
    package var expiresAt: Timestamp
    /// Whether it was exchanged before.
    package var isUsed: Bool
    /// Whether its grant was already revoked.
    package var isRevoked: Bool

    /// Makes a state.
    ///
    /// - Parameters:
    ///   - expiresAt: When the code expires.
    ///   - isUsed: Whether it was exchanged before.
    ///   - isRevoked: Whether its grant was already revoked.
    package init(expiresAt: Timestamp, isUsed: Bool, isRevoked: Bool) {
        self.expiresAt = expiresAt
        self.isUsed = isUsed
        self.isRevoked = isRevoked
    }

    /// The outcome of an exchange.
    ///
    /// - Parameter now: The time.
    /// - Returns: The outcome, which the driver carries out and returns.
    package func redemption(at now: Timestamp) -> CodeRedemption {
        if isRevoked { return .unknown }
        // A used code is a replay even after it expired: someone else holds a copy.
        if isUsed { return .replayed }
        return now < expiresAt ? .first : .unknown
    }
}
