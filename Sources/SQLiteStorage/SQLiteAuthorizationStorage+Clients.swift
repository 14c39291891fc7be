// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension SQLiteAuthorizationStorage {
    /// The client with an identifier; see ``/ServerStorage/ClientStore/client(_:)``.
    ///
    /// - Parameter clientID: `client_id`.
    /// - Returns: The client; `nil` if there is none.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func client(_ clientID: String) async throws(StorageError) -> RegisteredClient? {
        try await reader.perform { connection throws(StorageError) in try connection.client(clientID) }
    }

    /// Lists the clients; see ``/ServerStorage/ClientStore/clients()``.
    ///
    /// - Returns: All clients, in the order of their identifiers.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func clients() async throws(StorageError) -> [RegisteredClient] {
        try await reader.perform { connection throws(StorageError) in
            try connection.rows(
                """
                SELECT client_id, name, redirect_uris, scope, dpop_bound_access_tokens,
                    require_pushed_authorization_requests, id_token_signed_response_alg, post_logout_redirect_uris,
                    created_at, token_endpoint_auth_method, token_endpoint_auth_signing_alg, secret_hash,
                    previous_secret_hash, jwks, grant_types, introspection_audiences, token_exchange_rights,
                    authorization_details_types, request_object_signing_alg, require_signed_request_object,
                    dpop_bound_authorization_codes, dpop_nonce_policy, registration_id,
                    own_grant_revocations, origin, application_type, allowed_web_origins, changed_by, expires_at,
                    document_expires_at, first_party, jwks_uri
                FROM clients ORDER BY client_id
                """,
                read: RegisteredClient.init(row:)
            )
        }
    }

    /// Stores a new client; see ``/ServerStorage/ClientStore/add(_:)``.
    ///
    /// - Parameter client: The client.
    /// - Returns: `false`, and nothing is stored, when its identifier is taken.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func add(_ client: RegisteredClient) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            if try connection.insert(client) { return true }
            return try connection.isRegistered(client)
        }
    }

    /// Replaces what is registered of a client; see ``/ServerStorage/ClientStore/replace(_:by:)``.
    ///
    /// - Parameters:
    ///   - client: The client as it was read, with the changes.
    ///   - attempt: The change.
    /// - Returns: `false`, and nothing is changed, if there is no such client, or it was changed since it was read.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func replace(_ client: RegisteredClient, by attempt: WriteAttempt) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in try connection.replace(client, by: attempt) }
    }

    /// Whether scripts of a web origin may call the server; see ``/ServerStorage/ClientStore/isAllowed(webOrigin:)``.
    ///
    /// - Parameter origin: The origin.
    /// - Returns: Whether it is one of some client.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func isAllowed(webOrigin origin: String) async throws(StorageError) -> Bool {
        try await reader.perform { connection throws(StorageError) in
            try connection.row("SELECT 1 FROM web_origins WHERE origin = ? LIMIT 1", [.text(origin)]) {
                _ throws(StorageError) in true
            } ?? false
        }
    }

    /// Gives a client a new secret; see ``/ServerStorage/ClientStore/addSecret(_:to:)``.
    ///
    /// - Parameters:
    ///   - secretHash: The hash of the secret.
    ///   - clientID: `client_id`.
    /// - Returns: `false` if there is no such client.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func addSecret(_ secretHash: SecretHash, to clientID: String) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            try connection.run(
                """
                UPDATE clients SET secret_hash = ?1,
                    previous_secret_hash = CASE WHEN secret_hash IS ?1 THEN previous_secret_hash ELSE secret_hash END
                WHERE client_id = ?2
                """,
                [.hash(secretHash), .text(clientID)]
            ) == 1
        }
    }

    /// Removes a client and its consents and revokes its grants; see
    /// ``/ServerStorage/ClientStore/removeClient(_:at:)``.
    ///
    /// It scans all grants, which saves every grant an additional index.
    ///
    /// - Parameters:
    ///   - clientID: `client_id`.
    ///   - now: The time.
    /// - Returns: `false` if there is no such client.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func removeClient(_ clientID: String, at now: Timestamp) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            guard try connection.run("DELETE FROM clients WHERE client_id = ?", [.text(clientID)]) == 1 else {
                return false
            }
            // If the client is added again with this identifier, it must not inherit earlier consents.
            try connection.run("DELETE FROM consents WHERE client_id = ?", [.text(clientID)])
            try connection.run("DELETE FROM web_origins WHERE client_id = ?", [.text(clientID)])
            try connection.run("DELETE FROM device_authorizations WHERE client_id = ?", [.text(clientID)])
            try connection.run("DELETE FROM first_party_sessions WHERE client_id = ?", [.text(clientID)])
            try connection.run(
                "UPDATE grants SET revoked_at = ? WHERE client_id = ? AND revoked_at IS NULL",
                [.time(now), .text(clientID)]
            )
            return true
        }
    }
}

extension SQLiteConnection {
    func client(_ clientID: String) throws(StorageError) -> RegisteredClient? {
        try row(
            """
            SELECT client_id, name, redirect_uris, scope, dpop_bound_access_tokens,
                require_pushed_authorization_requests, id_token_signed_response_alg, post_logout_redirect_uris,
                created_at, token_endpoint_auth_method, token_endpoint_auth_signing_alg, secret_hash,
                previous_secret_hash, jwks, grant_types, introspection_audiences, token_exchange_rights,
                authorization_details_types, request_object_signing_alg, require_signed_request_object,
                dpop_bound_authorization_codes, dpop_nonce_policy, registration_id,
                own_grant_revocations, origin, application_type, allowed_web_origins, changed_by, expires_at,
                    document_expires_at, first_party, jwks_uri
            FROM clients WHERE client_id = ?
            """,
            [.text(clientID)]
        ) { row throws(StorageError) in try clients.record(clientID, row, read: RegisteredClient.init(row:)) }
    }

    /// Whether a client is stored by the registration with this identifier, which is random.
    func isRegistered(_ client: RegisteredClient) throws(StorageError) -> Bool {
        guard let registrationID = client.registrationID else { return false }
        return try row(
            "SELECT 1 FROM clients WHERE client_id = ? AND registration_id = ?",
            [.text(client.clientID), .text(registrationID)]
        ) { _ throws(StorageError) in true } ?? false
    }

    /// Stores a new client; `false` if its identifier is taken.
    func insert(_ client: RegisteredClient) throws(StorageError) -> Bool {
        guard
            try run(
                """
                INSERT INTO clients (client_id, name, redirect_uris, scope, dpop_bound_access_tokens,
                    require_pushed_authorization_requests, id_token_signed_response_alg, post_logout_redirect_uris,
                    created_at, token_endpoint_auth_method, token_endpoint_auth_signing_alg, secret_hash,
                    previous_secret_hash, jwks, grant_types, introspection_audiences, token_exchange_rights,
                    authorization_details_types, request_object_signing_alg, require_signed_request_object,
                    dpop_bound_authorization_codes, dpop_nonce_policy, registration_id, own_grant_revocations, origin,
                    application_type, allowed_web_origins, changed_by, expires_at, document_expires_at, first_party,
                    jwks_uri)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?28, ?9, ?10, ?29, ?30, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?31,
                    ?32, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27)
                ON CONFLICT DO NOTHING
                """,
                client.storedValues
            ) == 1
        else { return false }
        try insertWebOrigins(of: client)
        return true
    }

    /// Replaces what is registered of a client; `false` if it was changed since it was read.
    func replace(_ client: RegisteredClient, by attempt: WriteAttempt) throws(StorageError) -> Bool {
        let count = try run(
            """
            UPDATE clients SET name = ?2, redirect_uris = ?3, scope = ?4, dpop_bound_access_tokens = ?5,
                require_pushed_authorization_requests = ?6, id_token_signed_response_alg = ?7,
                post_logout_redirect_uris = ?8, token_endpoint_auth_method = ?9, token_endpoint_auth_signing_alg = ?10,
                jwks = ?11, grant_types = ?12, introspection_audiences = ?13, token_exchange_rights = ?14,
                authorization_details_types = ?15, request_object_signing_alg = ?16, require_signed_request_object = ?17,
                dpop_bound_authorization_codes = ?18, dpop_nonce_policy = ?19, origin = ?20, application_type = ?21,
                allowed_web_origins = ?22, changed_by = ?23, expires_at = ?24, document_expires_at = ?25,
                first_party = ?26, jwks_uri = ?27
            WHERE client_id = ?1 AND changed_by IS ?28
            """,
            client.metadata(changedBy: attempt) + [.optional(client.changedBy)]
        )
        guard count == 1 else {
            return try row(
                "SELECT 1 FROM clients WHERE client_id = ? AND changed_by = ?",
                [.text(client.clientID), .attempt(attempt)]
            ) { _ throws(StorageError) in true } ?? false
        }
        try run("DELETE FROM web_origins WHERE client_id = ?", [.text(client.clientID)])
        try insertWebOrigins(of: client)
        return true
    }

    private func insertWebOrigins(of client: RegisteredClient) throws(StorageError) {
        for origin in client.allowedWebOrigins {
            try run(
                "INSERT INTO web_origins (origin, client_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
                [.text(origin), .text(client.clientID)]
            )
        }
    }
}
#endif
