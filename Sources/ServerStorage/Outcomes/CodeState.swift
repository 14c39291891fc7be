// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// What a driver knows of a code when it is to be spent: the rule of ``GrantStore/redeem(_:issuing:at:)``, for all drivers.
package struct CodeState: Sendable {
    /// When the code can no longer be exchanged.
    package var expiresAt: Timestamp
    /// Whether it was exchanged before.
    package var isSpent: Bool
    /// Whether its grant was revoked before.
    package var isRevoked: Bool

    /// Gathers what is known.
    ///
    /// - Parameters:
    ///   - expiresAt: When the code can no longer be exchanged.
    ///   - isSpent: Whether it was exchanged before.
    ///   - isRevoked: Whether its grant was revoked before.
    package init(expiresAt: Timestamp, isSpent: Bool, isRevoked: Bool) {
        self.expiresAt = expiresAt
        self.isSpent = isSpent
        self.isRevoked = isRevoked
    }

    /// What an exchange leads to.
    ///
    /// - Parameter now: The time.
    /// - Returns: What the driver carries out and answers.
    package func redemption(at now: Timestamp) -> CodeRedemption {
        if isRevoked { return .unknown }
        // A replay is one also after the end: somebody else has the code.
        if isSpent { return .replayed }
        return now < expiresAt ? .first : .unknown
    }
}
