// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

extension ServerAdministration {
    /// Takes back what a person allowed a client: it is asked for again, and codes and refresh tokens that were given out are
    /// worth nothing any more.
    ///
    /// Access tokens that are out are valid until they expire, where they are not looked up.
    ///
    /// - Parameters:
    ///   - username: The name of the person; ASCII letters of either case.
    ///   - clientID: `client_id`.
    /// - Returns: Whether there was anything to take back.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue`` when there is no such person,
    ///   ``AuthorizationServerError/Code/storageFailed``.
    public func withdrawConsent(of username: String, to clientID: String) async throws(AuthorizationServerError) -> Bool
    {
        let (user, now) = (try await user(username), clock.now())
        let isWithdrawn = try await stored { try await $0.withdrawConsent(of: user.subject, to: clientID, at: now) }
        if isWithdrawn { record(.consentWithdrawn, clientID: clientID, subject: user.subject) }
        return isWithdrawn
    }
}
