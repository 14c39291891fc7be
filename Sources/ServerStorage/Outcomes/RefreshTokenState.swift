// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// What a driver knows of a refresh token when it is to be rotated: the rule of ``GrantStore/rotate(_:to:grace:at:)``, for
/// all drivers.
package struct RefreshTokenState: Sendable {
    /// When the token can no longer be used.
    package var expiresAt: Timestamp
    /// When it was rotated first; a token that is issued again does not move this.
    package var spentAt: Timestamp?
    /// Whether it took part in a rotation that was repeated, as the successor that was never used.
    package var wasReplaced: Bool
    /// Whether the token that was given out for it is stored, and was neither rotated nor replaced.
    package var hasUnusedSuccessor: Bool
    /// Whether its grant was revoked before.
    package var isRevoked: Bool

    /// Gathers what is known.
    ///
    /// - Parameters:
    ///   - expiresAt: When the token can no longer be used.
    ///   - spentAt: When it was rotated first.
    ///   - wasReplaced: Whether another token took its place before it was used.
    ///   - hasUnusedSuccessor: Whether the token that was given out for it is stored and unused.
    ///   - isRevoked: Whether its grant was revoked before.
    package init(
        expiresAt: Timestamp,
        spentAt: Timestamp?,
        wasReplaced: Bool,
        hasUnusedSuccessor: Bool,
        isRevoked: Bool
    ) {
        self.expiresAt = expiresAt
        self.spentAt = spentAt
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

    /// What a rotation leads to.
    ///
    /// - Parameters:
    ///   - grace: How long a spent token may be exchanged again; zero for never.
    ///   - now: The time.
    /// - Returns: What the driver carries out and answers.
    package func rotation(grace: Duration, at now: Timestamp) -> RefreshRotation {
        if isRevoked || wasReplaced { return .unknown }
        guard let spentAt else { return now < expiresAt ? .rotated : .unknown }
        // The clocks of two nodes differ a little; a clock that was set far back gives no longer grace.
        let elapsed = now - spentAt
        let isInGrace = grace > .zero && elapsed <= grace && elapsed >= .zero - grace
        return isInGrace && hasUnusedSuccessor && now < expiresAt ? .reissued : .reused
    }
}
