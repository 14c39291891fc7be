// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCore
public import OAuthSystem
public import ServerStorage
import StrictJSON

extension SQLiteAuthorizationStorage {
    /// A grant that is in force; see ``/ServerStorage/GrantStore/grant(_:)``.
    ///
    /// - Parameter id: The identifier.
    /// - Returns: The grant; `nil` if it is unknown or revoked.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func grant(_ id: String) async throws(StorageError) -> Grant? {
        try await reader.perform { connection throws(StorageError) in
            let grant = try connection.grant(id)
            // One after the other: no revoked grant becomes valid again, so a parent that is in force now was also in
            // force before.
            var parentID = grant?.parentID
            while let id = parentID {
                guard let parent = try connection.grant(id) else { return nil }
                parentID = parent.parentID
            }
            return grant
        }
    }

    /// Stores a grant of an access token only; see ``/ServerStorage/GrantStore/record(_:until:)``.
    ///
    /// - Parameters:
    ///   - grant: The grant.
    ///   - end: When the access token expires.
    /// - Throws: ``/ServerStorage/StorageError``; also if the grant is already stored.
    public func record(_ grant: Grant, until end: Timestamp) async throws(StorageError) {
        try await writer.write { connection throws(StorageError) in
            try connection.insert(grant, until: end)
        }
    }

    /// Revokes a grant; see ``/ServerStorage/GrantStore/revokeGrant(_:at:)``.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - now: The time.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func revokeGrant(_ id: String, at now: Timestamp) async throws(StorageError) {
        try await writer.write { connection throws(StorageError) in
            try connection.revokeGrant(id, at: now)
        }
    }
}

extension SQLiteConnection {
    /// A grant that was not revoked itself.
    fileprivate func grant(_ id: String) throws(StorageError) -> Grant? {
        if let own = ClientCredentialsGrantID(id) { return try grant(own) }
        return try row(
            """
            SELECT client_id, subject, scope, authenticated_at, acr, amr, created_at, parent_id, resources,
                authorization_details, id
            FROM grants WHERE id = ? AND revoked_at IS NULL
            """,
            [.text(id)]
        ) { row throws(StorageError) in try grants.record(id, row, read: Grant.init(row:)) }
    }

    /// Stores a new grant; `end` is the expiry of the access token if nothing else is issued.
    func insert(_ grant: Grant, until end: Timestamp? = nil) throws(StorageError) {
        try run(
            """
            INSERT INTO grants (id, client_id, subject, scope, authenticated_at, acr, amr, created_at, parent_id,
                expires_at, resources, authorization_details)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(grant.id),
                .text(grant.clientID),
                .text(grant.subject),
                .text(grant.scope.description),
                .time(grant.authenticatedAt),
                .optional(grant.authentication.reference),
                .json(.strings(grant.authentication.methods)),
                .time(grant.createdAt),
                .optional(grant.parentID),
                end.map { .time($0) } ?? .null,
                .json(.strings(grant.resources)),
                .json(.array(grant.authorizationDetails.map { .object($0.json) })),
            ]
        )
    }

    func revokeGrant(_ id: String, at now: Timestamp) throws(StorageError) {
        if let own = ClientCredentialsGrantID(id) { return try revoke(own, at: now) }
        try run("UPDATE grants SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", [.time(now), .text(id)])
    }

    /// Stores a new refresh token, which must belong to a grant.
    func insert(_ token: StoredRefreshToken, under grantID: String) throws(StorageError) {
        guard token.grantID.isIdentical(to: grantID) else { throw .belongsToAnotherGrant }
        try run(
            """
            INSERT INTO refresh_tokens (token_hash, grant_id, client_id, scope, dpop_thumbprint, expires_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .hash(token.tokenHash),
                .text(token.grantID),
                .text(token.clientID),
                .text(token.scope.description),
                .optional(token.dpopThumbprint),
                .time(token.expiresAt),
            ]
        )
    }
}

extension Grant {
    fileprivate init(row: SQLiteRow) throws(StorageError) {
        self.init(
            id: try row.text(10),
            clientID: try row.text(0),
            subject: try row.text(1),
            scope: try row.scope(2),
            authenticatedAt: try row.time(3),
            authentication: try row.authentication(4, methods: 5),
            createdAt: try row.time(6),
            parentID: try row.optionalText(7)
        )
        resources = try row.strings(8)
        authorizationDetails = try row.authorizationDetails(9)
    }
}

extension StorageError {
    /// The error for a code or token that the revocation of its grant would not reach.
    static let belongsToAnotherGrant = Self(
        .statementFailed,
        "what is given out must belong to the grant it is given out under"
    )
}
#endif
