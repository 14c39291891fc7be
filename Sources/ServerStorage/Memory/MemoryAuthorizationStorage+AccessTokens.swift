// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// A usable token; see ``AccessTokenStore/liveAccessToken(_:at:)``.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - now: The time.
    /// - Returns: The token; `nil` if it cannot be used, or is unknown.
    public func liveAccessToken(_ token: GrantSecret, at now: Timestamp) -> StoredAccessToken? {
        tables.withLock { $0.liveAccessToken(token, at: now) }
    }
}

extension MemoryTables {
    func liveAccessToken(_ token: GrantSecret, at now: Timestamp) -> StoredAccessToken? {
        guard let stored = accessTokens[token.hash], now < stored.expiresAt, !isRevoked(Key(stored.grantID)) else {
            return nil
        }
        return stored
    }
}
