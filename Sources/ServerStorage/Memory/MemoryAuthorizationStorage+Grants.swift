// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// Stores a grant and its code and consumes the request; see ``GrantStore/issue(_:under:consuming:in:by:at:)``.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - grant: Its grant.
    ///   - referenceHash: The hash of the `request_uri` reference of the request.
    ///   - sessionHash: The hash of the cookie of the user's session.
    ///   - decision: The consent that it is based on.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` when the code or the grant is already stored,
    ///   ``StorageError/Code/statementFailed`` when the code belongs to another grant.
    public func issue(
        _ code: StoredCode,
        under grant: Grant,
        consuming referenceHash: SecretHash,
        in sessionHash: SecretHash,
        by decision: ConsentDecision,
        at now: Timestamp
    ) throws(StorageError) -> CodeIssuance {
        try tables.withLock { tables throws(StorageError) in
            if tables.isIssued(code, under: grant) { return .issued }
            guard tables.liveRequest(referenceHash, at: now) != nil else { return .requestUsed }
            guard tables.hasSession(sessionHash, of: grant.subject, at: now) else { return .sessionEnded }
            let issuance = try tables.issue(code, under: grant, by: decision)
            // No attempt: the code identifies a repeat of this call.
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
            if tables.isIssued(code, under: grant) { return .issued }
            guard tables.hasSession(sessionHash, of: grant.subject, at: now) else { return .sessionEnded }
            return try tables.issue(code, under: grant, by: .remembered(consent))
        }
    }

    /// The data of a code; see ``GrantStore/code(_:)``.
    ///
    /// - Parameter code: The code.
    /// - Returns: The code; `nil` if it is unknown.
    public func code(_ code: GrantSecret) -> StoredCode? {
        tables.withLock { $0.codes[code.hash]?.record }
    }

    /// Consumes a code; see ``GrantStore/redeem(_:issuing:until:recording:at:)``.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - refreshToken: The refresh token to issue; `nil` for an access token only.
    ///   - end: When the access token expires.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``StorageError`` – ``StorageError/Code/statementFailed`` when the refresh token belongs to another grant.
    public func redeem(
        _ code: GrantSecret,
        issuing refreshToken: StoredRefreshToken?,
        until end: Timestamp,
        recording: Recording,
        at now: Timestamp
    ) throws(StorageError) -> Recorded<CodeRedemption> {
        try recorded(recording, at: now) { tables throws(StorageError) in
            guard let stored = tables.codes[code.hash] else { return .unknown }
            let state = CodeState(
                expiresAt: stored.record.expiresAt,
                usedBy: stored.usedBy,
                isRevoked: tables.isRevoked(MemoryTables.Key(stored.record.grantID))
            )
            let redemption = try tables.redeem(
                state,
                under: stored.record.grantID,
                issuing: refreshToken,
                until: end,
                by: recording.attempt,
                at: now
            )
            if redemption == .first { tables.codes[code.hash]?.usedBy = recording.attempt }
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

    /// Revokes a grant; see ``GrantStore/revokeGrant(_:recording:at:)``.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: Whether it was recorded.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if another access token with that hash is stored.
    public func revokeGrant(
        _ id: String,
        recording: Recording,
        at now: Timestamp
    ) throws(StorageError) -> Recorded<Void> {
        try recorded(recording, at: now) { tables throws(StorageError) in
            if let own = ClientCredentialsGrantID(id) {
                tables.revoke(own)
            } else {
                tables.grants[MemoryTables.Key(id)]?.isRevoked = true
            }
        }
    }
}

extension MemoryTables {
    /// Stores a grant and its code, unless the challenge was used before or the consent is not stored.
    mutating func issue(
        _ code: StoredCode,
        under grant: Grant,
        by decision: ConsentDecision
    ) throws(StorageError) -> CodeIssuance {
        guard !challenges.contains(code.challenge) else { return .challengeReused }
        guard holds(decision) else { return .consentWithdrawn }
        let grantKey = Key(grant.id)
        guard grantKey == Key(code.grantID) else { throw .belongsToAnotherGrant }
        guard codes[code.codeHash] == nil else { throw StorageError.isStoredOtherwise("the code") }
        guard grants[grantKey] == nil else { throw StorageError.isStoredOtherwise("the grant") }

        remember(decision)
        challenges.insert(code.challenge)
        codes[code.codeHash] = Code(record: code)
        grants[grantKey] = GrantEntry(record: grant, expiresAt: StorageRetention.endOfGrant(after: code.expiresAt))
        return .issued
    }

    /// Whether a user with an account is signed in.
    func hasSession(_ idHash: SecretHash, of subject: String, at now: Timestamp) -> Bool {
        guard let session = sessions[idHash], now < session.expiresAt else { return false }
        return session.subject.isIdentical(to: subject) && usernames[Key(subject)] != nil
    }

    /// Whether this very code was issued under this grant before.
    func isIssued(_ code: StoredCode, under grant: Grant) -> Bool {
        codes[code.codeHash]?.record == code && grants[Key(grant.id)]?.record == grant
    }

    /// Carries out the exchange of a code or device code; the caller notes that the code is used.
    mutating func redeem(
        _ state: CodeState,
        under grantID: String,
        issuing refreshToken: StoredRefreshToken?,
        until end: Timestamp,
        by attempt: WriteAttempt,
        at now: Timestamp
    ) throws(StorageError) -> CodeRedemption {
        let grant = Key(grantID)
        let redemption = state.redemption(by: attempt, at: now)
        switch redemption {
        case .first:
            guard !state.isUsed(by: attempt) else { break }
            if let refreshToken {
                guard Key(refreshToken.grantID) == grant else { throw .belongsToAnotherGrant }
                grants[grant]?.refresh = RefreshTokenState(first: refreshToken)
            }
            keepGrant(grant, until: end)
            if let refreshToken { keepGrant(grant, until: StorageRetention.endOfGrant(after: refreshToken.expiresAt)) }
        case .replayed:
            grants[grant]?.isRevoked = true
        case .unknown:
            break
        }
        return redemption
    }

    /// Keeps a grant at least until a time.
    mutating func keepGrant(_ grant: Key, until end: Timestamp) {
        guard let entry = grants[grant] else { return }
        grants[grant]?.expiresAt = max(entry.expiresAt, end)
    }

    /// Whether a grant is revoked or no longer stored.
    func isRevoked(_ grant: Key) -> Bool {
        grants[grant]?.isRevoked ?? true
    }

    /// A grant that is in force, and whose parents all are.
    func grantInForce(_ id: String) -> Grant? {
        derivedGrant(id)?.grant
    }

    /// A grant that is in force, and the number of grants that it derives from, which all are in force too.
    func derivedGrant(_ id: String) -> (grant: Grant, parentCount: Int)? {
        guard let grant = unrevokedGrant(id) else { return nil }
        var (parentCount, parentID) = (0, grant.parentID)
        while let id = parentID {
            guard let parent = unrevokedGrant(id) else { return nil }
            parentCount += 1
            parentID = parent.parentID
        }
        return (grant, parentCount)
    }

    /// A grant that was not revoked itself.
    private func unrevokedGrant(_ id: String) -> Grant? {
        if let own = ClientCredentialsGrantID(id) { return grantInForce(own) }
        guard let entry = grants[Key(id)], !entry.isRevoked else { return nil }
        return entry.record
    }
}
