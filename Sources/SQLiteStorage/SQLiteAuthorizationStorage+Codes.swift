// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
import PKCE
public import ServerStorage

extension SQLiteAuthorizationStorage {
    /// Stores a grant and its code and consumes the request.
    ///
    /// See ``/ServerStorage/GrantStore/issue(_:under:consuming:by:at:)``.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - grant: Its grant.
    ///   - referenceHash: The hash of the `request_uri` reference of the request.
    ///   - decision: The consent that it is based on.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``/ServerStorage/StorageError``; also if the code or the grant is already stored, or the code belongs to another
    ///   grant.
    public func issue(
        _ code: StoredCode,
        under grant: Grant,
        consuming referenceHash: SecretHash,
        by decision: ConsentDecision,
        at now: Timestamp
    ) async throws(StorageError) -> CodeIssuance {
        try await writer.write { connection throws(StorageError) in
            guard try connection.hasRequest(referenceHash, at: now) else { return .requestUsed }
            let issuance = try connection.issue(code, under: grant, by: decision)
            if issuance == .issued { _ = try connection.consumeRequest(referenceHash, at: now) }
            return issuance
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
            guard try connection.hasSession(sessionHash, of: grant.subject, at: now) else { return .sessionEnded }
            return try connection.issue(code, under: grant, by: .remembered(consent))
        }
    }

    /// The data of a code; see ``/ServerStorage/GrantStore/code(_:)``.
    ///
    /// - Parameter codeHash: The hash of the code.
    /// - Returns: The code; `nil` if it is unknown.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func code(_ codeHash: SecretHash) async throws(StorageError) -> StoredCode? {
        try await reader.perform { connection throws(StorageError) in
            try connection.row(
                """
                SELECT grant_id, client_id, redirect_uri, code_challenge, code_challenge_method, dpop_thumbprint,
                    nonce, expires_at
                FROM codes WHERE code_hash = ?
                """,
                [.hash(codeHash)]
            ) { row throws(StorageError) in
                StoredCode(
                    codeHash: codeHash,
                    grantID: try row.text(0),
                    clientID: try row.text(1),
                    redirectURI: try row.text(2),
                    codeChallenge: try row.codeChallenge(3, method: 4),
                    dpopThumbprint: try row.optionalThumbprint(5),
                    nonce: try row.optionalText(6),
                    expiresAt: try row.time(7)
                )
            }
        }
    }

    /// Consumes a code; see ``/ServerStorage/GrantStore/redeem(_:issuing:at:)``.
    ///
    /// - Parameters:
    ///   - codeHash: The hash of the code.
    ///   - refreshToken: The refresh token to issue; `nil` for an access token only.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``/ServerStorage/StorageError``; also if the refresh token is already stored or belongs to another grant.
    public func redeem(
        _ codeHash: SecretHash,
        issuing refreshToken: StoredRefreshToken?,
        at now: Timestamp
    ) async throws(StorageError) -> CodeRedemption {
        try await writer.write { connection throws(StorageError) in
            guard let (grantID, state) = try connection.codeState(codeHash) else { return .unknown }
            let redemption = state.redemption(at: now)
            switch redemption {
            case .first:
                try connection.run("UPDATE codes SET spent_at = ? WHERE code_hash = ?", [.time(now), .hash(codeHash)])
                if let refreshToken { try connection.insert(refreshToken, under: grantID) }
            case .replayed:
                try connection.revokeGrant(grantID, at: now)
            case .unknown:
                break
            }
            return redemption
        }
    }
}

extension SQLiteConnection {
    /// Stores a grant and its code, unless the challenge was used before or the consent is not stored.
    fileprivate func issue(
        _ code: StoredCode,
        under grant: Grant,
        by decision: ConsentDecision
    ) throws(StorageError) -> CodeIssuance {
        guard try !hasChallenge(of: code) else { return .challengeReused }
        guard try holds(decision) else { return .consentWithdrawn }
        guard code.grantID.isIdentical(to: grant.id) else { throw .belongsToAnotherGrant }
        try insert(grant)
        try insert(code)
        try remember(decision)
        return .issued
    }

    /// Whether a user with an account is signed in.
    fileprivate func hasSession(
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
            "SELECT 1 FROM authorization_requests WHERE handle_hash = ? AND expires_at > ?",
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
            [
                .hash(code.codeHash),
                .text(code.grantID),
                .text(code.clientID),
                .text(code.redirectURI),
                .text(code.codeChallenge.value),
                .text(code.codeChallenge.method.rawValue),
                .optional(code.dpopThumbprint),
                .optional(code.nonce),
                .time(code.expiresAt),
            ]
        )
    }

    fileprivate func codeState(
        _ codeHash: SecretHash
    ) throws(StorageError) -> (grantID: String, state: CodeState)? {
        try row(
            """
            SELECT grants.id, codes.expires_at, codes.spent_at IS NOT NULL, grants.revoked_at IS NOT NULL
            FROM codes JOIN grants ON grants.id = codes.grant_id WHERE codes.code_hash = ?
            """,
            [.hash(codeHash)]
        ) { row throws(StorageError) in
            let state = CodeState(
                expiresAt: try row.time(1),
                isUsed: try row.flag(2),
                isRevoked: try row.flag(3)
            )
            return (try row.text(0), state)
        }
    }
}
#endif
