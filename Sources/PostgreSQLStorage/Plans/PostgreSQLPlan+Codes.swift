// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCore
import OAuthSystem
import ServerStorage

extension PostgreSQLPlan where Value == CodeReads {
    /// Reads a code whose grant came from no other grant.
    static func reads(ofCode code: GrantSecret, for clientID: String) -> Self? {
        let grant = PostgreSQLStatement(
            """
            SELECT client_id, subject, scope, authenticated_at, acr, amr, created_at, parent_id, resources,
                authorization_details, id
            FROM grants WHERE id = (SELECT grant_id FROM codes WHERE code_hash = $1) AND revoked_at IS NULL
            """,
            [.hash(code.hash)]
        )
        return Self([.client(clientID), .code(code.hash), grant]) { connection, results throws(StorageError) in
            let results = Array(results)
            var reads = CodeReads(
                client: try results[0].first { row throws(StorageError) in try connection.client(clientID, row) }
            )
            reads.code = try results[1].first { row throws(StorageError) in try StoredCode(code.hash, row) }
            reads.grant = try results[2].first { row throws(StorageError) in try Grant(row: row) }
            return reads.grant?.parentID == nil ? reads : nil
        }
    }
}

extension PostgreSQLPlan where Value == Recorded<CodeRedemption> {
    /// Exchanges a code for the first time.
    ///
    /// It is the last case of ``/ServerStorage/CodeState/redemption(by:at:)``.
    static func redemption(
        of code: GrantSecret,
        issuing refreshToken: StoredRefreshToken?,
        until end: Timestamp,
        recording proof: PostgreSQLProofPlan,
        at now: Timestamp
    ) -> Self? {
        if let refreshToken, !refreshToken.grantID.isIdentical(to: code.grantID) { return nil }
        let needed = (refreshToken?.expiresAt).map { StorageRetention.endOfGrant(after: $0) }
        let values: [StoredValue] = [
            .time(now), .hash(code.hash), .text(code.grantID), .time(end),
            .optional(refreshToken?.familyHash), .optional(refreshToken?.scope.description),
            .flag(refreshToken.map { $0.dpopThumbprint == nil } ?? false),
            .optional(refreshToken?.tokenHash), .optional(refreshToken?.dpopThumbprint),
            .optional(refreshToken?.expiresAt), .optional(needed), .optional(needed.map { $0 + .seconds(3600) }),
        ]
        let statement = PostgreSQLStatement(.redeem, proof.values + values)
        return Self([statement], locking: code.grantID) { _, results in
            PostgreSQLProofPlan.isDone(results) ? .done(.first) : nil
        }
    }
}

extension PostgreSQLPlan where Value == CodeIssuance {
    /// Issues a code to a user who is signed in and has consented.
    static func issue(
        _ code: StoredCode,
        under grant: Grant,
        in sessionHash: SecretHash,
        by consent: StoredConsent,
        at now: Timestamp
    ) -> Self? {
        guard code.grantID.isIdentical(to: grant.id) else { return nil }
        let values: [StoredValue] = [
            .hash(sessionHash), .time(now), .text(consent.subject), .text(consent.clientID),
            .hash(consent.detailsHash), .text(consent.scope.description),
            .time(StorageRetention.endOfGrant(after: code.expiresAt)),
        ]
        // With the locks that withdrawals take as well, what the second statement reads stays.
        let statements: [PostgreSQLStatement] = [
            .lockingConsents(of: grant.subject, to: grant.clientID),
            PostgreSQLStatement(.issueInSession, values + grant.storedValues + code.values),
        ]
        return Self(statements) { _, results in results.last?.changes == 1 ? .issued : nil }
    }
}

extension SQL {
    // Both rows are locked before either is changed: whoever comes second finds the code used, or the grant revoked.
    fileprivate static let redeem = SQL(
        joining: """
            WITH target AS (
                SELECT grants.id FROM codes JOIN grants ON grants.id = codes.grant_id
                WHERE codes.code_hash = $7 AND codes.used_by IS NULL AND codes.expires_at > $6
                    AND grants.id = $8 AND grants.revoked_at IS NULL
                    AND grants.family_hash IS NULL AND grants.expires_at IS NOT NULL AND
            """,
        " ",
        PostgreSQLProofPlan.isNew,
        """
         FOR NO KEY UPDATE OF codes, grants
        ), granted AS (
            UPDATE grants SET family_hash = $10::bytea, refresh_scope = $11::text, was_unbound = $12,
                refresh_hash = $13::bytea, refresh_thumbprint = $14::text, refresh_ends = $15::bigint,
                expires_at = greatest(
                    CASE WHEN grants.expires_at < $16::bigint THEN $17::bigint ELSE grants.expires_at END, $9
                )
            FROM target WHERE grants.id = target.id RETURNING 1
        ), done AS (
            UPDATE codes SET used_by = $4 FROM granted WHERE codes.code_hash = $7 RETURNING 1
        )
        """,
        PostgreSQLProofPlan.record
    )

    fileprivate static let issueInSession: SQL =
        """
        WITH permitted AS (
            SELECT 1 FROM sessions JOIN users ON users.subject = sessions.subject
            WHERE sessions.id_hash = $1 AND sessions.expires_at > $2 AND sessions.subject = $10
                AND EXISTS (
                    SELECT 1 FROM consents WHERE subject = $3 AND client_id = $4 AND details_hash = $5
                        AND string_to_array(scope, ' ') @> string_to_array($6, ' ')
                )
                AND NOT EXISTS (SELECT 1 FROM codes WHERE client_id = $21 AND code_challenge = $23)
            FOR KEY SHARE OF sessions, users
        ), granted AS (
            INSERT INTO grants (id, client_id, subject, scope, authenticated_at, acr, amr, created_at, parent_id,
                resources, authorization_details, expires_at)
            SELECT $8, $9, $10, $11, $12, $13::text, $14, $15, $16::text, $17, $18, $7 FROM permitted
            RETURNING 1
        )
        INSERT INTO codes (code_hash, grant_id, client_id, redirect_uri, code_challenge, code_challenge_method,
            dpop_thumbprint, nonce, expires_at)
        SELECT $19, $20, $21, $22, $23, $24, $25::text, $26::bytea, $27 FROM granted
        """
}
#endif
