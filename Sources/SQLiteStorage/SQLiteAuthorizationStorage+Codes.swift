// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
import PKCE
public import ServerStorage

extension SQLiteAuthorizationStorage {
    /// Stores a grant and its code and consumes the request.
    ///
    /// See ``/ServerStorage/GrantStore/issue(_:under:consuming:in:by:at:)``.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - grant: Its grant.
    ///   - referenceHash: The hash of the `request_uri` reference of the request.
    ///   - sessionHash: The hash of the cookie of the user's session.
    ///   - decision: The consent that it is based on.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``/ServerStorage/StorageError``; also if the code or the grant is already stored, or the code belongs to another
    ///   grant.
    public func issue(
        _ code: StoredCode,
        under grant: Grant,
        consuming referenceHash: SecretHash,
        in sessionHash: SecretHash,
        by decision: ConsentDecision,
        at now: Timestamp
    ) async throws(StorageError) -> CodeIssuance {
        try await writer.write { connection throws(StorageError) in
            try connection.issued(code, under: grant) { () throws(StorageError) in
                guard try connection.hasRequest(referenceHash, at: now) else { return .requestUsed }
                guard try connection.hasSession(sessionHash, of: grant.subject, at: now) else { return .sessionEnded }
                let issuance = try connection.issue(code, under: grant, by: decision)
                if issuance == .issued { _ = try connection.deleteRequest(referenceHash, at: now) }
                return issuance
            }
        }
    }

    /// Stores a grant and its code for a request that is not stored.
    ///
    /// See ``/ServerStorage/GrantStore/issue(_:under:in:by:at:)``.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - grant: Its grant.
    ///   - sessionHash: The hash of the cookie of the user's session.
    ///   - consent: The consent that must be stored, with that scope or more.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``/ServerStorage/StorageError``; also if the code or the grant is already stored, or the code belongs to another
    ///   grant.
    public func issue(
        _ code: StoredCode,
        under grant: Grant,
        in sessionHash: SecretHash,
        by consent: StoredConsent,
        at now: Timestamp
    ) async throws(StorageError) -> CodeIssuance {
        try await writer.write { connection throws(StorageError) in
            try connection.issued(code, under: grant) { () throws(StorageError) in
                guard try connection.hasSession(sessionHash, of: grant.subject, at: now) else { return .sessionEnded }
                return try connection.issue(code, under: grant, by: .remembered(consent))
            }
        }
    }

    /// The data of a code; see ``/ServerStorage/GrantStore/code(_:)``.
    ///
    /// - Parameter code: The code.
    /// - Returns: The code; `nil` if it is unknown.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func code(_ code: GrantSecret) async throws(StorageError) -> StoredCode? {
        try await reader.perform { connection throws(StorageError) in try connection.code(code.hash) }
    }

    /// Consumes a code; see ``/ServerStorage/GrantStore/redeem(_:issuing:until:recording:at:)``.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - refreshToken: The refresh token to issue; `nil` for an access token only.
    ///   - end: When the access token expires.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``/ServerStorage/StorageError``; also if the refresh token belongs to another grant.
    public func redeem(
        _ code: GrantSecret,
        issuing refreshToken: StoredRefreshToken?,
        until end: Timestamp,
        recording: Recording,
        at now: Timestamp
    ) async throws(StorageError) -> Recorded<CodeRedemption> {
        try await writeRecorded(recording, at: now) { connection throws(StorageError) in
            guard let (grantID, state) = try connection.codeState(code.hash) else { return .unknown }
            let redemption = try connection.redeem(
                state,
                under: grantID,
                issuing: refreshToken,
                until: end,
                by: recording.attempt,
                at: now
            )
            if redemption == .first {
                try connection.run(
                    "UPDATE codes SET used_by = ? WHERE code_hash = ?",
                    [.attempt(recording.attempt), .hash(code.hash)]
                )
            }
            return redemption
        }
    }
}

extension SQLiteConnection {
    func code(_ codeHash: SecretHash) throws(StorageError) -> StoredCode? {
        try row(
            """
            SELECT grant_id, client_id, redirect_uri, code_challenge, code_challenge_method, dpop_thumbprint,
                nonce, expires_at
            FROM codes WHERE code_hash = ?
            """,
            [.hash(codeHash)]
        ) { row throws(StorageError) in
            try StoredCode(codeHash, row: row, nonce: row.optionalText(6))
        }
    }

    /// Carries out the exchange of a code or device code; the caller notes that the code is used.
    func redeem(
        _ state: CodeState,
        under grantID: String,
        issuing refreshToken: StoredRefreshToken?,
        until end: Timestamp,
        by attempt: WriteAttempt,
        at now: Timestamp
    ) throws(StorageError) -> CodeRedemption {
        let redemption = state.redemption(by: attempt, at: now)
        switch redemption {
        case .first:
            guard !state.isUsed(by: attempt) else { break }
            if let refreshToken {
                guard refreshToken.grantID.isIdentical(to: grantID) else { throw .belongsToAnotherGrant }
                try update(RefreshTokenState(first: refreshToken), of: grantID)
            }
            try keepGrant(grantID, until: end)
            if let refreshToken { try keepGrant(grantID, forTokenUntil: refreshToken.expiresAt) }
        case .replayed:
            try revokeGrant(grantID, at: now)
        case .unknown:
            break
        }
        return redemption
    }

    /// Issues a code, or confirms that this very code was issued under this grant before.
    fileprivate func issued(
        _ code: StoredCode,
        under grant: Grant,
        _ issue: () throws(StorageError) -> CodeIssuance
    ) throws(StorageError) -> CodeIssuance {
        let issuance = try issue()
        guard issuance != .issued, code.grantID.isIdentical(to: grant.id), try self.code(code.codeHash) == code else {
            return issuance
        }
        return .issued
    }
}

extension SQLiteConnection {
    /// Stores a grant and its code, unless the challenge was used before or the consent is not stored.
    func issue(
        _ code: StoredCode,
        under grant: Grant,
        by decision: ConsentDecision
    ) throws(StorageError) -> CodeIssuance {
        guard try !hasChallenge(of: code) else { return .challengeReused }
        guard try holds(decision) else { return .consentWithdrawn }
        guard code.grantID.isIdentical(to: grant.id) else { throw .belongsToAnotherGrant }
        try insert(grant, until: StorageRetention.endOfGrant(after: code.expiresAt))
        try insert(code)
        try remember(decision)
        return .issued
    }

    /// Whether a user with an account is signed in.
    func hasSession(
        _ idHash: SecretHash,
        of subject: String,
        at now: Timestamp
    ) throws(StorageError) -> Bool {
        try row(
            """
            SELECT 1 FROM sessions JOIN users ON users.subject = sessions.subject
            WHERE sessions.id_hash = ? AND sessions.expires_at > ? AND sessions.subject = ?
            """,
            [.hash(idHash), .time(now), .text(subject)]
        ) { _ throws(StorageError) in true } ?? false
    }

    fileprivate func hasRequest(_ referenceHash: SecretHash, at now: Timestamp) throws(StorageError) -> Bool {
        try row(
            "SELECT 1 FROM authorization_requests WHERE handle_hash = ? AND expires_at > ? AND used_by IS NULL",
            [.hash(referenceHash), .time(now)]
        ) { _ throws(StorageError) in true } ?? false
    }

    fileprivate func hasChallenge(of code: StoredCode) throws(StorageError) -> Bool {
        try row(
            "SELECT 1 FROM codes WHERE client_id = ? AND code_challenge = ?",
            [.text(code.clientID), .text(code.codeChallenge.value)]
        ) { _ throws(StorageError) in true } ?? false
    }

    fileprivate func insert(_ code: StoredCode) throws(StorageError) {
        try run(
            """
            INSERT INTO codes (code_hash, grant_id, client_id, redirect_uri, code_challenge, code_challenge_method,
                dpop_thumbprint, nonce, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            code.storedValues(nonce: .optional(code.nonce))
        )
    }

    fileprivate func codeState(
        _ codeHash: SecretHash
    ) throws(StorageError) -> (grantID: String, state: CodeState)? {
        try row(
            """
            SELECT grants.id, codes.expires_at, codes.used_by, grants.revoked_at IS NOT NULL
            FROM codes JOIN grants ON grants.id = codes.grant_id WHERE codes.code_hash = ?
            """,
            [.hash(codeHash)]
        ) { row throws(StorageError) in
            (try row.text(0), try CodeState(row: row))
        }
    }
}
#endif
