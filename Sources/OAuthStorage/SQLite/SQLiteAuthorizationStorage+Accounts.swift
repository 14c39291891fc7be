// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import AuthorizationServer
import JOSE
import OAuthCore

extension SQLiteAuthorizationStorage {
    /// The client of an identifier; see ``/AuthorizationServer/ClientStore/client(_:)``.
    ///
    /// - Parameter clientID: `client_id`.
    /// - Returns: The client; `nil` when there is none.
    /// - Throws: ``StorageError``.
    public func client(_ clientID: String) async throws(StorageError) -> RegisteredClient? {
        try await reader.perform { connection throws(StorageError) in
            try connection.row(
                """
                SELECT client_id, name, redirect_uris, scope, dpop_bound_access_tokens,
                    require_pushed_authorization_requests, id_token_signed_response_alg, post_logout_redirect_uris,
                    created_at
                FROM clients WHERE client_id = ?
                """,
                [.text(clientID)],
                read: RegisteredClient.init(row:)
            )
        }
    }

    /// Lists the clients; see ``/AuthorizationServer/ClientStore/clients()``.
    ///
    /// - Returns: All clients, in the order of their identifiers.
    /// - Throws: ``StorageError``.
    public func clients() async throws(StorageError) -> [RegisteredClient] {
        try await reader.perform { connection throws(StorageError) in
            try connection.rows(
                """
                SELECT client_id, name, redirect_uris, scope, dpop_bound_access_tokens,
                    require_pushed_authorization_requests, id_token_signed_response_alg, post_logout_redirect_uris,
                    created_at
                FROM clients ORDER BY client_id
                """,
                read: RegisteredClient.init(row:)
            )
        }
    }

    /// Stores a new client; see ``/AuthorizationServer/ClientStore/add(_:)``.
    ///
    /// - Parameter client: The client.
    /// - Returns: `false`, and nothing is stored, when its identifier is taken.
    /// - Throws: ``StorageError``.
    public func add(_ client: RegisteredClient) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            try connection.run(
                """
                INSERT INTO clients (client_id, name, redirect_uris, scope, dpop_bound_access_tokens,
                    require_pushed_authorization_requests, id_token_signed_response_alg, post_logout_redirect_uris,
                    created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
                [
                    .text(client.clientID),
                    .text(client.name),
                    .json(.strings(client.redirectURIs)),
                    .text(client.scope.description),
                    .flag(client.dpopBoundAccessTokens),
                    .flag(client.requirePushedAuthorizationRequests),
                    .optional(client.idTokenSignedResponseAlgorithm?.rawValue),
                    .json(.strings(client.postLogoutRedirectURIs)),
                    .time(client.createdAt),
                ]
            ) == 1
        }
    }

    /// The account of a user name; see ``/AuthorizationServer/UserStore/user(named:)``.
    ///
    /// - Parameter username: The user name in its stored form.
    /// - Returns: The account; `nil` when there is none.
    /// - Throws: ``StorageError``.
    public func user(named username: String) async throws(StorageError) -> UserAccount? {
        try await reader.perform { connection throws(StorageError) in
            try connection.row(
                "SELECT subject, username, password_hash, created_at FROM users WHERE username = ?",
                [.text(username)],
                read: UserAccount.init(row:)
            )
        }
    }

    /// The account of a subject; see ``/AuthorizationServer/UserStore/user(subject:)``.
    ///
    /// - Parameter subject: `sub`.
    /// - Returns: The account; `nil` when there is none.
    /// - Throws: ``StorageError``.
    public func user(subject: String) async throws(StorageError) -> UserAccount? {
        try await reader.perform { connection throws(StorageError) in
            try connection.row(
                "SELECT subject, username, password_hash, created_at FROM users WHERE subject = ?",
                [.text(subject)],
                read: UserAccount.init(row:)
            )
        }
    }

    /// Lists the accounts.
    ///
    /// - Returns: All accounts, in the order of their user names.
    /// - Throws: ``StorageError``.
    public func users() async throws(StorageError) -> [UserAccount] {
        try await reader.perform { connection throws(StorageError) in
            try connection.rows(
                "SELECT subject, username, password_hash, created_at FROM users ORDER BY username",
                read: UserAccount.init(row:)
            )
        }
    }

    /// Stores a new account; see ``/AuthorizationServer/UserStore/add(_:)``.
    ///
    /// - Parameter user: The account.
    /// - Returns: `false`, and nothing is stored, when its user name or subject is taken.
    /// - Throws: ``StorageError``.
    public func add(_ user: UserAccount) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            try connection.run(
                """
                INSERT INTO users (subject, username, password_hash, created_at)
                VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
                [
                    .text(user.subject),
                    .text(user.username),
                    .text(user.passwordHash.encoded),
                    .time(user.createdAt),
                ]
            ) == 1
        }
    }
}

extension RegisteredClient {
    fileprivate init(row: SQLiteRow) throws(StorageError) {
        self.init(
            clientID: try row.text(0),
            name: try row.text(1),
            redirectURIs: try row.strings(2),
            scope: try row.scope(3),
            dpopBoundAccessTokens: try row.flag(4),
            requirePushedAuthorizationRequests: try row.flag(5),
            idTokenSignedResponseAlgorithm: try row.optionalText(6).map { SignatureAlgorithm(rawValue: $0) },
            postLogoutRedirectURIs: try row.strings(7),
            createdAt: try row.time(8)
        )
    }
}

extension UserAccount {
    fileprivate init(row: SQLiteRow) throws(StorageError) {
        self.init(
            subject: try row.text(0),
            username: try row.text(1),
            passwordHash: PasswordHash(stored: try row.text(2)),
            createdAt: try row.time(3)
        )
    }
}
#endif
