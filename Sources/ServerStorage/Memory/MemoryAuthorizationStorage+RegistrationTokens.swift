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
                throw MemoryTables.alreadyStored("the registration token")
            }
            tables.registrationTokens[token.tokenHash] = token
        }
    }

    /// Whether a client can be registered; see ``RegistrationTokenStore/canRegister(with:at:)``.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: `false` if it is unknown, expired or has no uses left.
    public func canRegister(with tokenHash: SecretHash, at now: Timestamp) -> Bool {
        tables.withLock { $0.canRegister(with: tokenHash, at: now) }
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
            guard tables.canRegister(with: tokenHash, at: now) else { return .refused }
            guard tables.add(client) else { return .taken }
            tables.registrationTokens[tokenHash]?.usesLeft -= 1
            return .registered
        }
    }
}

extension MemoryTables {
    fileprivate func canRegister(with tokenHash: SecretHash, at now: Timestamp) -> Bool {
        registrationTokens[tokenHash].map { $0.usesLeft > 0 && now < $0.expiresAt } ?? false
    }
}
