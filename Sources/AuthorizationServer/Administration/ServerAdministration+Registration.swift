// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
import OAuthSystem
public import ServerStorage

extension ServerAdministration {
    /// Makes an initial access token with which clients register themselves (RFC 7591 section 1.2).
    ///
    /// - Parameters:
    ///   - uses: The number of clients, 1 to 100000.
    ///   - lifetime: The lifetime of the token, at most a year.
    ///   - policy: What a client may register itself for: by default only to learn who the user is.
    /// - Returns: The token, which is shown only once: the server stores only its hash.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue``,
    ///   ``AuthorizationServerError/Code/storageFailed``.
    public func newRegistrationToken(
        uses: Int = 1,
        lifetime: Duration = .seconds(86_400),
        policy: RegistrationTokenPolicy = RegistrationTokenPolicy()
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
            expiresAt: clock.now() + lifetime,
            policy: policy
        )
        _ = try await self.stored {
            try await $0.add(stored)
            return true
        }
        record(.registrationTokenAdded, detail: stored.id)
        return token
    }

    /// Lists the initial access tokens with which clients can still register.
    ///
    /// - Returns: The tokens; those that expire first come first.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/storageFailed``.
    public func registrationTokens() async throws(AuthorizationServerError) -> [StoredRegistrationToken] {
        let now = clock.now()
        return try await stored { try await $0.registrationTokens(at: now) }
    }

    /// Removes an initial access token: no client can register with it any more; clients that already did stay
    /// registered.
    ///
    /// - Parameter id: The identifier of the token, ``/ServerStorage/StoredRegistrationToken/id``.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/notFound`` if there is no such token that
    ///   can be used, ``AuthorizationServerError/Code/storageFailed``.
    public func removeRegistrationToken(_ id: String) async throws(AuthorizationServerError) {
        let found = try await registrationTokens().first { $0.id == id }
        guard let hash = found?.tokenHash, try await stored({ try await $0.removeRegistrationToken(hash) }) else {
            throw AuthorizationServerError(.notFound, "there is no registration token of this identifier")
        }
        record(.registrationTokenRemoved, detail: id)
    }

    /// Removes every initial access token with which a client could still register: for use after restoring a backup.
    ///
    /// Tokens that were used up or removed since the backup would otherwise be valid again. Clients that have registered
    /// stay registered.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/storageFailed``.
    public func removeAllRegistrationTokens() async throws(AuthorizationServerError) -> Int {
        var count = 0
        for token in try await registrationTokens() {
            // A client may use it up at the same time.
            guard try await stored({ try await $0.removeRegistrationToken(token.tokenHash) }) else { continue }
            record(.registrationTokenRemoved, detail: token.id)
            count += 1
        }
        return count
    }
}
