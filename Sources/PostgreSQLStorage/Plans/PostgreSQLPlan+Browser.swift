// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import ServerStorage

extension PostgreSQLPlan where Value == (client: RegisteredClient?, browser: SessionReads) {
    /// Reads a client, and who is signed in.
    static func reads(ofClient clientID: String, in sessionHash: SecretHash, at now: Timestamp) -> Self? {
        let user = PostgreSQLStatement(
            """
            SELECT subject, username, password_hash, created_at, claims FROM users
            WHERE subject = (SELECT subject FROM sessions WHERE id_hash = $1)
            """,
            [.hash(sessionHash)]
        )
        return Self([.client(clientID), .session(sessionHash), user]) { connection, results throws(StorageError) in
            let results = Array(results)
            let client = try results[0].first { row throws(StorageError) in try connection.client(clientID, row) }
            let session = try results[1].first { row throws(StorageError) in
                try BrowserSession(sessionHash, row).ifLive(at: now)
            }
            guard let session else { return (client, SessionReads()) }
            return (client, SessionReads(session: session, user: try results[2].first(UserAccount.init(row:))))
        }
    }
}

extension PostgreSQLPlan where Value == StoredConsent? {
    /// Reads a consent.
    static func consent(of subject: String, to clientID: String, details detailsHash: SecretHash) -> Self? {
        Self([.consent(of: subject, to: clientID, details: detailsHash)]) { _, results throws(StorageError) in
            .some(try results.first?.first(StoredConsent.init(row:)))
        }
    }
}

extension PostgreSQLPlan where Value == UserAccount? {
    /// Reads the user of a grant that is in force and came from no other grant.
    static func user(ofGrant grantID: String) -> Self? {
        Self(PostgreSQLStatement.user(ofGrant: grantID)) { _, results throws(StorageError) in
            try UserAccount.ofGrant(results)
        }
    }
}

extension PostgreSQLPlan where Value == Recorded<UserAccount?> {
    /// Records a proof, and reads the user of a grant that is in force and came from no other grant.
    static func user(ofGrant grantID: String, recording proof: PostgreSQLProofPlan) -> Self? {
        let statements = PostgreSQLStatement.user(ofGrant: grantID) + [.recording(proof)]
        return Self(statements, locking: "~") { _, results throws(StorageError) in
            guard PostgreSQLProofPlan.isDone(results), let user = try UserAccount.ofGrant(results.dropLast()) else {
                return nil
            }
            return .done(user)
        }
    }
}

extension PostgreSQLStatement {
    /// Two reads of a grant and its user.
    fileprivate static func user(ofGrant grantID: String) -> [Self] {
        let grant = PostgreSQLStatement(
            "SELECT parent_id FROM grants WHERE id = $1 AND revoked_at IS NULL",
            [.text(grantID)]
        )
        let user = PostgreSQLStatement(
            """
            SELECT subject, username, password_hash, created_at, claims FROM users
            WHERE subject = (SELECT subject FROM grants WHERE id = $1 AND revoked_at IS NULL)
            """,
            [.text(grantID)]
        )
        return [grant, user]
    }
}

extension UserAccount {
    /// Reads the results of these statements; `nil` if the user must be read step by step.
    fileprivate static func ofGrant(_ results: ArraySlice<PostgreSQLResult>) throws(StorageError) -> UserAccount?? {
        // The grant of a client itself is no row, and that of a token exchange needs its parents.
        guard let grant = results.first, grant.count > 0, PostgreSQLRow(grant, 0).isNull(0) else { return nil }
        return .some(try results.last?.first(UserAccount.init(row:)))
    }
}
#endif
