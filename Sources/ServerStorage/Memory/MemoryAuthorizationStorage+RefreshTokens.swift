// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// A refresh token; see ``GrantStore/refreshToken(_:)``.
    ///
    /// - Parameter token: The token.
    /// - Returns: The token; `nil` if its family is unknown.
    public func refreshToken(_ token: GrantSecret) -> StoredRefreshToken? {
        tables.withLock { $0.refreshToken(token) }
    }

    /// A usable refresh token; see ``GrantStore/liveRefreshToken(_:at:)``.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - now: The time.
    /// - Returns: The token; `nil` if it cannot be used, or is unknown.
    public func liveRefreshToken(_ token: GrantSecret, at now: Timestamp) -> StoredRefreshToken? {
        tables.withLock { $0.isLive(token, at: now) ? $0.refreshToken(token) : nil }
    }

    /// Rotates a refresh token; see ``GrantStore/rotate(_:to:grace:recording:at:)``.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - successor: The new token.
    ///   - grace: How long a used token may be exchanged again; zero for never.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``StorageError`` – ``StorageError/Code/statementFailed`` when the successor is of another grant or
    ///   family.
    public func rotate(
        _ token: GrantSecret,
        to successor: StoredRefreshToken,
        grace: Duration,
        recording: Recording,
        at now: Timestamp
    ) throws(StorageError) -> Recorded<RefreshRotation> {
        try recorded(recording, at: now) { tables throws(StorageError) in
            guard let (grant, state) = tables.refresh(of: token), !tables.isRevoked(grant) else { return .unknown }
            guard MemoryTables.Key(successor.grantID) == grant, successor.familyHash == state.familyHash else {
                throw .belongsToAnotherGrant
            }
            let rotation = state.rotation(of: token.hash, to: successor.tokenHash, grace: grace, at: now)
            switch rotation {
            case .rotated, .reissued:
                tables.grants[grant]?.refresh?.replaceCurrent(with: successor, as: rotation, at: now)
                tables.keepGrant(grant, until: StorageRetention.endOfGrant(after: successor.expiresAt))
            case .reused:
                tables.grants[grant]?.isRevoked = true
            case .unknown:
                break
            }
            return rotation
        }
    }

    /// Extends a refresh token; see ``GrantStore/prolong(_:until:recording:at:)``.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - end: The new expiry.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: `false` if it cannot be used, or is unknown.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if the access token is already stored.
    public func prolong(
        _ token: GrantSecret,
        until end: Timestamp,
        recording: Recording,
        at now: Timestamp
    ) throws(StorageError) -> Recorded<Bool> {
        try recorded(recording, at: now) { tables throws(StorageError) in
            guard tables.isLive(token, at: now) else { return false }
            let grant = MemoryTables.Key(token.grantID)
            tables.grants[grant]?.refresh?.current.expiresAt = end
            tables.keepGrant(grant, until: StorageRetention.endOfGrant(after: end))
            return true
        }
    }
}

extension MemoryTables {
    /// The grant of a token and its refresh tokens, if the token is of its family.
    fileprivate func refresh(of token: GrantSecret) -> (grant: Key, state: RefreshTokenState)? {
        let grant = Key(token.grantID)
        guard let state = grants[grant]?.refresh, state.isOfFamily(token) else { return nil }
        return (grant, state)
    }

    func refreshToken(_ token: GrantSecret) -> StoredRefreshToken? {
        guard let (grant, state) = refresh(of: token), let client = grants[grant]?.record.clientID else { return nil }
        return state.stored(token, of: client)
    }

    func isLive(_ token: GrantSecret, at now: Timestamp) -> Bool {
        guard let (grant, state) = refresh(of: token) else { return false }
        return !isRevoked(grant) && state.isLive(token, at: now)
    }
}
