// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import ServerStorage

extension PostgreSQLPlan where Value == RefreshTokenReads {
    /// Reads a refresh token whose grant came from no other grant.
    static func reads(ofRefreshToken token: GrantSecret, for clientID: String) -> Self? {
        Self([.client(clientID), .refreshToken(token)]) { connection, results throws(StorageError) in
            var reads = RefreshTokenReads(
                client: try results.first?.first { row throws(StorageError) in try connection.client(clientID, row) }
            )
            guard let result = results.last, result.count > 0 else { return reads }
            let refresh = try GrantRefreshTokens(token, row: PostgreSQLRow(result, 0))
            guard refresh.state.isOfFamily(token) else { return reads }
            reads.refreshToken = refresh.stored
            guard !refresh.isRevoked else { return reads }
            let row = PostgreSQLRow(result, 0, from: GrantRefreshTokens.columnCount)
            let grant = try connection.grants.record(token.grantID, row, read: Grant.init(row:))
            guard grant.parentID == nil else { return nil }
            reads.grant = grant
            return reads
        }
    }
}

extension PostgreSQLPlan where Value == Recorded<RefreshRotation> {
    /// Exchanges the current refresh token of a grant that is in force.
    ///
    /// It is the first case of ``/ServerStorage/RefreshTokenState/rotation(of:to:grace:at:)``, and what
    /// ``/ServerStorage/RefreshTokenState/replaceCurrent(with:as:at:)`` does then.
    static func rotation(
        of token: GrantSecret,
        to successor: StoredRefreshToken,
        recording proof: PostgreSQLProofPlan,
        at now: Timestamp
    ) -> Self? {
        guard successor.grantID.isIdentical(to: token.grantID), let family = token.familyHash,
            successor.familyHash == family
        else { return nil }
        let needed = StorageRetention.endOfGrant(after: successor.expiresAt)
        let values: [StoredValue] = [
            .time(now), .text(token.grantID), .hash(family), .hash(token.hash),
            .hash(successor.tokenHash), .optional(successor.dpopThumbprint), .time(successor.expiresAt),
            .flag(successor.dpopThumbprint == nil), .time(needed), .time(needed + .seconds(3600)),
        ]
        let statement = PostgreSQLStatement(.rotate, proof.values + values)
        return Self([statement], locking: token.grantID) { _, results in
            PostgreSQLProofPlan.isDone(results) ? .done(.rotated) : nil
        }
    }
}

extension SQL {
    fileprivate static let rotate = SQL(
        joining: """
            WITH done AS (
                UPDATE grants SET previous_hash = refresh_hash, previous_thumbprint = refresh_thumbprint,
                    previous_ends = refresh_ends, rotated_at = $6, reissues = 0,
                    refresh_hash = $10, refresh_thumbprint = $11::text, refresh_ends = $12,
                    was_unbound = greatest(was_unbound, $13),
                    expires_at = CASE WHEN expires_at < $14 THEN $15 ELSE expires_at END
                WHERE id = $7 AND family_hash = $8 AND revoked_at IS NULL
                    AND refresh_hash = $9 AND refresh_ends > $6
                    AND refresh_hash <> $10 AND previous_hash IS DISTINCT FROM $10 AND
            """,
        " ",
        PostgreSQLProofPlan.isNew,
        " RETURNING 1)",
        PostgreSQLProofPlan.record
    )
}

extension PostgreSQLStatement {
    /// The columns of ``GrantRefreshTokens``, then those of the grant.
    fileprivate static func refreshToken(_ token: GrantSecret) -> Self {
        Self(
            """
            SELECT client_id, revoked_at IS NOT NULL, family_hash, refresh_scope, was_unbound,
                refresh_hash, refresh_thumbprint, refresh_ends,
                previous_hash, previous_thumbprint, previous_ends, rotated_at, reissues,
                client_id, subject, scope, authenticated_at, acr, amr, created_at, parent_id, resources,
                authorization_details, id
            FROM grants WHERE id = $1 AND family_hash IS NOT NULL
            """,
            [.text(token.grantID)]
        )
    }
}
#endif
