// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// Stores a grant and its code and consumes the request; see ``GrantStore/issue(_:under:consuming:by:at:)``.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - grant: Its grant.
    ///   - referenceHash: The hash of the `request_uri` reference of the request.
    ///   - decision: The consent that it is based on.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` when the code or the grant is already stored,
    ///   ``StorageError/Code/statementFailed`` when the code belongs to another grant.
    public func issue(
        _ code: StoredCode,
        under grant: Grant,
        consuming referenceHash: SecretHash,
        by decision: ConsentDecision,
        at now: Timestamp
    ) throws(StorageError) -> CodeIssuance {
        try tables.withLock { tables throws(StorageError) in
            guard tables.liveRequest(referenceHash, at: now) != nil else { return .requestUsed }
            let issuance = try tables.issue(code, under: grant, by: decision)
            if issuance == .issued { tables.requests[referenceHash] = nil }
            return issuance
        }
    }

    /// Stores a grant and its code for a request that is not stored; see ``GrantStore/issue(_:under:in:by:at:)``.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - grant: Its grant.
    ///   - sessionHash: The hash of the cookie of the user's session.
    ///   - consent: The consent that must be stored, with that scope or more.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` when the code or the grant is already stored,
    ///   ``StorageError/Code/statementFailed`` when the code belongs to another grant.
    public func issue(
        _ code: StoredCode,
        under grant: Grant,
        in sessionHash: SecretHash,
        by consent: StoredConsent,
        at now: Timestamp
    ) throws(StorageError) -> CodeIssuance {
        try tables.withLock { tables throws(StorageError) in
            guard let session = tables.sessions[sessionHash], now < session.expiresAt,
                session.subject.isIdentical(to: grant.subject),
                tables.usernames[MemoryTables.Key(grant.subject)] != nil
            else { return .sessionEnded }
            return try tables.issue(code, under: grant, by: .remembered(consent))
        }
    }

    /// The data of a code; see ``GrantStore/code(_:)``.
    ///
    /// - Parameter codeHash: The hash of the code.
    /// - Returns: The code; `nil` if it is unknown.
    public func code(_ codeHash: SecretHash) -> StoredCode? {
        tables.withLock { $0.codes[codeHash]?.record }
    }

    /// Consumes a code; see ``GrantStore/redeem(_:issuing:at:)``.
    ///
    /// - Parameters:
    ///   - codeHash: The hash of the code.
    ///   - refreshToken: The refresh token to issue; `nil` for an access token only.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if the refresh token is already stored,
    ///   ``StorageError/Code/statementFailed`` when it belongs to another grant.
    public func redeem(
        _ codeHash: SecretHash,
        issuing refreshToken: StoredRefreshToken?,
        at now: Timestamp
    ) throws(StorageError) -> CodeRedemption {
        try tables.withLock { tables throws(StorageError) in
            guard let code = tables.codes[codeHash] else { return .unknown }
            let grant = MemoryTables.Key(code.record.grantID)
            let redemption = CodeState(
                expiresAt: code.record.expiresAt,
                isUsed: code.isUsed,
                isRevoked: tables.isRevoked(grant)
            ).redemption(at: now)
            switch redemption {
            case .first:
                if let refreshToken { try tables.add(refreshToken, under: grant) }
                tables.codes[codeHash]?.isUsed = true
            case .replayed:
                tables.grants[grant]?.isRevoked = true
            case .unknown:
                break
            }
            return redemption
        }
    }

    /// A grant that is in force; see ``GrantStore/grant(_:)``.
    ///
    /// - Parameter id: The identifier.
    /// - Returns: The grant; `nil` if it is unknown or revoked.
    public func grant(_ id: String) -> Grant? {
        tables.withLock { $0.grantInForce(id) }
    }

    /// Revokes a grant; see ``GrantStore/revokeGrant(_:at:)``.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - now: The time.
    public func revokeGrant(_ id: String, at now: Timestamp) {
        tables.withLock { tables in
            if let own = ClientCredentialsGrantID(id) {
                tables.revoke(own)
            } else {
                tables.grants[MemoryTables.Key(id)]?.isRevoked = true
            }
        }
    }
}

extension MemoryTables {
    /// The error for a code or token that the revocation of its grant would not reach.
    static let otherGrant = StorageError(
        .statementFailed,
        "what is given out must belong to the grant it is given out under"
    )

    /// Stores a grant and its code, unless the challenge was used before or the consent is not stored.
    mutating func issue(
        _ code: StoredCode,
        under grant: Grant,
        by decision: ConsentDecision
    ) throws(StorageError) -> CodeIssuance {
        guard !challenges.contains(code.challenge) else { return .challengeReused }
        guard holds(decision) else { return .consentWithdrawn }
        let grantKey = Key(grant.id)
        guard grantKey == Key(code.grantID) else { throw Self.otherGrant }
        guard codes[code.codeHash] == nil else { throw Self.alreadyStored("the code") }
        guard grants[grantKey] == nil else { throw Self.alreadyStored("the grant") }

        remember(decision)
        challenges.insert(code.challenge)
        codes[code.codeHash] = Code(record: code)
        grants[grantKey] = GrantEntry(record: grant, tokenCount: 1)
        return .issued
    }

    /// Whether a grant is revoked or no longer stored.
    func isRevoked(_ grant: Key) -> Bool {
        grants[grant]?.isRevoked ?? true
    }

    /// A grant that is in force, and whose parents all are.
    func grantInForce(_ id: String) -> Grant? {
        if let own = ClientCredentialsGrantID(id) { return grantInForce(own) }
        guard let entry = grants[Key(id)], !entry.isRevoked else { return nil }
        if let parentID = entry.record.parentID, grantInForce(parentID) == nil { return nil }
        return entry.record
    }

    mutating func add(_ token: StoredRefreshToken, under grant: Key) throws(StorageError) {
        guard Key(token.grantID) == grant else { throw Self.otherGrant }
        guard refreshTokens[token.tokenHash] == nil else { throw Self.alreadyStored("the refresh token") }
        refreshTokens[token.tokenHash] = RefreshToken(record: token)
        grants[grant]?.tokenCount += 1
    }
}
