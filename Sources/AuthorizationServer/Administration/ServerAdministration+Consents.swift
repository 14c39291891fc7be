// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

extension ServerAdministration {
    /// Withdraws a user's consent for a client: the user is asked again, and issued codes and refresh tokens become
    /// invalid.
    ///
    /// Issued access tokens remain valid until they expire, at APIs that do not look them up.
    ///
    /// - Parameters:
    ///   - username: The user name; ASCII letters of either case.
    ///   - clientID: `client_id`.
    /// - Returns: Whether there was any consent to withdraw.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/notFound`` if there is no such user,
    ///   ``AuthorizationServerError/Code/storageFailed``.
    public func withdrawConsent(of username: String, to clientID: String) async throws(AuthorizationServerError) -> Bool
    {
        let (user, now) = (try await user(username), clock.now())
        let isWithdrawn = try await stored { try await $0.withdrawConsent(of: user.subject, to: clientID, at: now) }
        if isWithdrawn { record(.consentWithdrawn, clientID: clientID, subject: user.subject) }
        return isWithdrawn
    }
}
