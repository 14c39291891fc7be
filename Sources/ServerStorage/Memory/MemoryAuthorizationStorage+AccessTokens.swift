// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// Stores a token; see ``AccessTokenStore/add(_:)``.
    ///
    /// - Parameter accessToken: The token.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if a token with that hash is already stored.
    public func add(_ accessToken: StoredAccessToken) throws(StorageError) {
        try tables.withLock { tables throws(StorageError) in
            guard tables.accessTokens[accessToken.tokenHash] == nil else {
                throw MemoryTables.alreadyStored("the access token")
            }
            tables.accessTokens[accessToken.tokenHash] = accessToken
        }
    }

    /// A usable token; see ``AccessTokenStore/liveAccessToken(_:at:)``.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: The token; `nil` if it cannot be used, or is unknown.
    public func liveAccessToken(_ tokenHash: SecretHash, at now: Timestamp) -> StoredAccessToken? {
        tables.withLock { tables in
            guard let token = tables.accessTokens[tokenHash], now < token.expiresAt,
                !tables.isRevoked(MemoryTables.Key(token.grantID))
            else { return nil }
            return token
        }
    }
}
