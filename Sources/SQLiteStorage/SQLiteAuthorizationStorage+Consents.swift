// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCore
public import OAuthSystem
public import ServerStorage

extension SQLiteAuthorizationStorage {
    /// The consent of a user to a client; see ``/ServerStorage/ConsentStore/consent(of:to:details:)``.
    ///
    /// - Parameters:
    ///   - subject: `sub`.
    ///   - clientID: `client_id`.
    ///   - detailsHash: The hash of what was requested in addition to the scope.
    /// - Returns: The consent; `nil` if there is none.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func consent(
        of subject: String,
        to clientID: String,
        details detailsHash: SecretHash
    ) async throws(StorageError) -> StoredConsent? {
        try await reader.perform { connection throws(StorageError) in
            try connection.consent(of: subject, to: clientID, details: detailsHash)
        }
    }

    /// Lists the consents of a user; see ``/ServerStorage/ConsentStore/consents(of:)``.
    ///
    /// - Parameter subject: `sub`.
    /// - Returns: All consents, in the order of the clients' identifiers.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func consents(of subject: String) async throws(StorageError) -> [StoredConsent] {
        try await reader.perform { connection throws(StorageError) in
            try connection.rows(
                """
                SELECT subject, client_id, details_hash, scope, remembered_at
                FROM consents WHERE subject = ? ORDER BY client_id, details_hash
                """,
                [.text(subject)],
                read: StoredConsent.init(row:)
            )
        }
    }

    /// Deletes every consent of a user to a client and revokes every grant between the two.
    ///
    /// See ``/ServerStorage/ConsentStore/withdrawConsent(of:to:at:)``.
    ///
    /// - Parameters:
    ///   - subject: `sub`.
    ///   - clientID: `client_id`.
    ///   - now: The time.
    /// - Returns: Whether there was a consent, or a grant in force.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func withdrawConsent(
        of subject: String,
        to clientID: String,
        at now: Timestamp
    ) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            let consents = try connection.run(
                "DELETE FROM consents WHERE subject = ? AND client_id = ?",
                [.text(subject), .text(clientID)]
            )
            let grants = try connection.run(
                "UPDATE grants SET revoked_at = ? WHERE subject = ? AND client_id = ? AND revoked_at IS NULL",
                [.time(now), .text(subject), .text(clientID)]
            )
            return consents + grants > 0
        }
    }
}

extension SQLiteConnection {
    /// Whether the consent that a code is based on is still stored.
    func holds(_ decision: ConsentDecision) throws(StorageError) -> Bool {
        guard case .remembered(let consent) = decision else { return true }
        let stored = try self.consent(of: consent.subject, to: consent.clientID, details: consent.detailsHash)
        return stored.map { consent.scope.isSubset(of: $0.scope) } ?? false
    }

    /// Stores a consent that must be remembered.
    func remember(_ decision: ConsentDecision) throws(StorageError) {
        guard case .givenToRemember(var consent) = decision else { return }
        let former = try self.consent(of: consent.subject, to: consent.clientID, details: consent.detailsHash)
        if let former { consent.extend(former) }
        try run(
            """
            INSERT INTO consents (subject, client_id, details_hash, scope, remembered_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET scope = excluded.scope, remembered_at = excluded.remembered_at
            """,
            consent.storedValues
        )
    }

    func consent(
        of subject: String,
        to clientID: String,
        details detailsHash: SecretHash
    ) throws(StorageError) -> StoredConsent? {
        try row(
            """
            SELECT subject, client_id, details_hash, scope, remembered_at
            FROM consents WHERE subject = ? AND client_id = ? AND details_hash = ?
            """,
            [.text(subject), .text(clientID), .hash(detailsHash)],
            read: StoredConsent.init(row:)
        )
    }
}
#endif
