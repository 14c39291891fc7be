// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// The state of a refresh token before its rotation.
///
/// It has the rule of ``GrantStore/rotate(_:to:grace:at:)`` for all drivers.
package struct RefreshTokenState: Sendable {
    /// When the token expires.
    package var expiresAt: Timestamp
    /// When it was first rotated; a repeated rotation does not change this.
    package var usedAt: Timestamp?
    /// Whether a repeated rotation replaced it while it was unused.
    package var wasReplaced: Bool
    /// Whether its successor is stored, and was neither rotated nor replaced.
    package var hasUnusedSuccessor: Bool
    /// Whether its grant was already revoked.
    package var isRevoked: Bool

    /// Makes a state.
    ///
    /// - Parameters:
    ///   - expiresAt: When the token expires.
    ///   - usedAt: When it was first rotated.
    ///   - wasReplaced: Whether another token replaced it while it was unused.
    ///   - hasUnusedSuccessor: Whether its successor is stored and unused.
    ///   - isRevoked: Whether its grant was already revoked.
    package init(
        expiresAt: Timestamp,
        usedAt: Timestamp?,
        wasReplaced: Bool,
        hasUnusedSuccessor: Bool,
        isRevoked: Bool
    ) {
        self.expiresAt = expiresAt
        self.usedAt = usedAt
        self.wasReplaced = wasReplaced
        self.hasUnusedSuccessor = hasUnusedSuccessor
        self.isRevoked = isRevoked
    }

    /// Whether the token can be used: a rotation without grace would succeed.
    ///
    /// - Parameter now: The time.
    /// - Returns: Whether it is live.
    package func isLive(at now: Timestamp) -> Bool {
        rotation(grace: .zero, at: now) == .rotated
    }

    /// The outcome of a rotation.
    ///
    /// - Parameters:
    ///   - grace: How long a used token may be exchanged again; zero for never.
    ///   - now: The time.
    /// - Returns: The outcome, which the driver carries out and returns.
    package func rotation(grace: Duration, at now: Timestamp) -> RefreshRotation {
        if isRevoked || wasReplaced { return .unknown }
        guard let usedAt else { return now < expiresAt ? .rotated : .unknown }
        // The clocks of two nodes differ a little. A clock that was set far back must not extend the grace period.
        let elapsed = now - usedAt
        let isInGrace = grace > .zero && elapsed <= grace && elapsed >= .zero - grace
        return isInGrace && hasUnusedSuccessor && now < expiresAt ? .reissued : .reused
    }
}
