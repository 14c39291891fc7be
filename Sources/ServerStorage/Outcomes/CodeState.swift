// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// The state of a code before its exchange, with the rule of ``GrantStore/redeem(_:issuing:until:recording:at:)`` for all drivers.
package struct CodeState: Sendable {
    /// When the code expires.
    package var expiresAt: Timestamp
    /// The exchange that used it; `nil` if it was not used.
    package var usedBy: WriteAttempt?
    /// Whether its grant was already revoked.
    package var isRevoked: Bool

    /// Makes a state.
    ///
    /// - Parameters:
    ///   - expiresAt: When the code expires.
    ///   - usedBy: The exchange that used it.
    ///   - isRevoked: Whether its grant was already revoked.
    package init(expiresAt: Timestamp, usedBy: WriteAttempt?, isRevoked: Bool) {
        self.expiresAt = expiresAt
        self.usedBy = usedBy
        self.isRevoked = isRevoked
    }

    /// The outcome of an exchange.
    ///
    /// - Parameters:
    ///   - attempt: The exchange.
    ///   - now: The time.
    /// - Returns: The outcome, which the driver carries out and returns.
    package func redemption(by attempt: WriteAttempt, at now: Timestamp) -> CodeRedemption {
        if isRevoked { return .unknown }
        // The same exchange, sent again: its first answer was lost on the way from the database.
        if isUsed(by: attempt) { return .first }
        // A used code is a replay even after it expired: someone else holds a copy.
        if usedBy != nil { return .replayed }
        return now < expiresAt ? .first : .unknown
    }

    /// Whether an exchange was carried out before, so that nothing is left to do for it.
    ///
    /// - Parameter attempt: The exchange.
    /// - Returns: Whether it used the code.
    package func isUsed(by attempt: WriteAttempt) -> Bool {
        usedBy == attempt
    }
}
