// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// Stores a new token; see ``RegistrationTokenStore/add(_:)``.
    ///
    /// - Parameter token: The token.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if another token with that hash is stored.
    public func add(_ token: StoredRegistrationToken) throws(StorageError) {
        try tables.withLock { tables throws(StorageError) in
            if let stored = tables.registrationTokens[token.tokenHash], stored != token {
                throw StorageError.isStoredOtherwise("the registration token")
            }
            tables.registrationTokens[token.tokenHash] = token
        }
    }

    /// What a client may register itself for; see ``RegistrationTokenStore/registrationPolicy(of:at:)``.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: `nil` if the token is unknown, expired or has no uses left.
    public func registrationPolicy(of tokenHash: SecretHash, at now: Timestamp) -> RegistrationTokenPolicy? {
        tables.withLock { $0.usableToken(tokenHash, at: now)?.policy }
    }

    /// Stores a new client and uses the token; see ``RegistrationTokenStore/register(_:with:at:)``.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: The outcome.
    public func register(
        _ client: RegisteredClient,
        with tokenHash: SecretHash,
        at now: Timestamp
    ) -> ClientRegistrationOutcome {
        tables.withLock { tables in
            if tables.isRegistered(client) { return .registered }
            guard tables.usableToken(tokenHash, at: now) != nil else { return .refused }
            guard tables.add(client) else { return .taken }
            tables.registrationTokens[tokenHash]?.usesLeft -= 1
            return .registered
        }
    }

    /// Lists the tokens that can be used; see ``RegistrationTokenStore/registrationTokens(at:)``.
    ///
    /// - Parameter now: The time.
    /// - Returns: The tokens; those that expire first come first.
    public func registrationTokens(at now: Timestamp) -> [StoredRegistrationToken] {
        tables.withLock { tables in tables.registrationTokens.values.filter { $0.isUsable(at: now) } }
            .sorted { left, right in
                left.expiresAt == right.expiresAt
                    ? left.tokenHash.bytes.lexicographicallyPrecedes(right.tokenHash.bytes)
                    : left.expiresAt < right.expiresAt
            }
    }

    /// Removes a token; see ``RegistrationTokenStore/removeRegistrationToken(_:)``.
    ///
    /// - Parameter tokenHash: The hash of the token.
    /// - Returns: `false` if there is no such token.
    public func removeRegistrationToken(_ tokenHash: SecretHash) -> Bool {
        tables.withLock { $0.registrationTokens.removeValue(forKey: tokenHash) != nil }
    }
}

extension MemoryTables {
    fileprivate func usableToken(_ tokenHash: SecretHash, at now: Timestamp) -> StoredRegistrationToken? {
        registrationTokens[tokenHash].flatMap { $0.isUsable(at: now) ? $0 : nil }
    }
}

extension StoredRegistrationToken {
    fileprivate func isUsable(at now: Timestamp) -> Bool { usesLeft > 0 && now < expiresAt }
}
