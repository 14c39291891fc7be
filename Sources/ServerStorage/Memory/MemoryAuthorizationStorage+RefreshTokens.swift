// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// A refresh token; see ``GrantStore/refreshToken(_:)``.
    ///
    /// - Parameter tokenHash: The hash of the token.
    /// - Returns: The token; `nil` if it is unknown.
    public func refreshToken(_ tokenHash: SecretHash) -> StoredRefreshToken? {
        tables.withLock { $0.refreshTokens[tokenHash]?.record }
    }

    /// A usable refresh token; see ``GrantStore/liveRefreshToken(_:at:)``.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: The token; `nil` if it cannot be used, or is unknown.
    public func liveRefreshToken(_ tokenHash: SecretHash, at now: Timestamp) -> StoredRefreshToken? {
        tables.withLock { tables in
            guard let token = tables.refreshTokens[tokenHash], tables.state(of: token).isLive(at: now) else {
                return nil
            }
            return token.record
        }
    }

    /// Rotates a refresh token; see ``GrantStore/rotate(_:to:grace:at:)``.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - successor: The new token.
    ///   - grace: How long a used token may be exchanged again; zero for never.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if the successor is already stored,
    ///   ``StorageError/Code/statementFailed`` when it belongs to another grant.
    public func rotate(
        _ tokenHash: SecretHash,
        to successor: StoredRefreshToken,
        grace: Duration,
        at now: Timestamp
    ) throws(StorageError) -> RefreshRotation {
        try tables.withLock { tables throws(StorageError) in
            guard let token = tables.refreshTokens[tokenHash] else { return .unknown }
            let grant = MemoryTables.Key(token.record.grantID)
            let rotation = tables.state(of: token).rotation(grace: grace, at: now)
            switch rotation {
            case .rotated:
                try tables.add(successor, under: grant)
                tables.refreshTokens[tokenHash]?.usedAt = now
                tables.refreshTokens[tokenHash]?.successor = successor.tokenHash
            case .reissued:
                try tables.add(successor, under: grant)
                if let unused = token.successor { tables.refreshTokens[unused]?.wasReplaced = true }
                tables.refreshTokens[tokenHash]?.successor = successor.tokenHash
            case .reused:
                tables.grants[grant]?.isRevoked = true
            case .unknown:
                break
            }
            return rotation
        }
    }

    /// Extends a refresh token; see ``GrantStore/prolong(_:until:at:)``.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - end: The new expiry.
    ///   - now: The time.
    /// - Returns: `false` if it cannot be used, or is unknown.
    public func prolong(_ tokenHash: SecretHash, until end: Timestamp, at now: Timestamp) -> Bool {
        tables.withLock { tables in
            guard let token = tables.refreshTokens[tokenHash], tables.state(of: token).isLive(at: now) else {
                return false
            }
            tables.refreshTokens[tokenHash]?.record.expiresAt = end
            return true
        }
    }
}

extension MemoryTables {
    /// The state of a refresh token.
    fileprivate func state(of token: RefreshToken) -> RefreshTokenState {
        let successor = token.successor.flatMap { refreshTokens[$0] }
        return RefreshTokenState(
            expiresAt: token.record.expiresAt,
            usedAt: token.usedAt,
            wasReplaced: token.wasReplaced,
            hasUnusedSuccessor: successor.map { $0.usedAt == nil && !$0.wasReplaced } ?? false,
            isRevoked: isRevoked(Key(token.record.grantID))
        )
    }
}
