// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
import OAuthSystem
import ServerStorage

extension ServerAdministration {
    /// Makes an initial access token with which clients register themselves (RFC 7591 section 1.2).
    ///
    /// - Parameters:
    ///   - uses: The number of clients, 1 to 100000.
    ///   - lifetime: The lifetime of the token, at most a year.
    /// - Returns: The token, which is shown only once: the server stores only its hash.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue``,
    ///   ``AuthorizationServerError/Code/storageFailed``.
    public func newRegistrationToken(
        uses: Int = 1,
        lifetime: Duration = .seconds(86_400)
    ) async throws(AuthorizationServerError) -> AccessToken {
        guard (1...100_000).contains(uses), lifetime >= .seconds(1), lifetime <= .seconds(366 * 86_400) else {
            throw AuthorizationServerError(
                .invalidValue,
                "a registration token has 1 to 100000 uses, and ends within a year"
            )
        }
        let token = AccessToken(SecretPrefix.registrationToken.rawValue + random())
        let stored = StoredRegistrationToken(
            tokenHash: SecretHash(of: token.value),
            usesLeft: uses,
            expiresAt: clock.now() + lifetime
        )
        _ = try await self.stored {
            try await $0.add(stored)
            return true
        }
        record(.registrationTokenAdded)
        return token
    }
}
