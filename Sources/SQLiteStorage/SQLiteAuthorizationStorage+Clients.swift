// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import JOSE
import OAuthCore
public import OAuthSystem
public import ServerStorage
import StrictJSON

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
                    own_grant_revocations
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
            try connection.run("DELETE FROM device_authorizations WHERE client_id = ?", [.text(clientID)])
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
                own_grant_revocations
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
        try run(
            """
            INSERT INTO clients (client_id, name, redirect_uris, scope, dpop_bound_access_tokens,
                require_pushed_authorization_requests, id_token_signed_response_alg, post_logout_redirect_uris,
                created_at, token_endpoint_auth_method, token_endpoint_auth_signing_alg, secret_hash,
                previous_secret_hash, jwks, grant_types, introspection_audiences, token_exchange_rights,
                authorization_details_types, request_object_signing_alg, require_signed_request_object,
                dpop_bound_authorization_codes, dpop_nonce_policy, registration_id, own_grant_revocations)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
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
                .text(client.tokenEndpointAuthMethod.rawValue),
                .optional(client.tokenEndpointAuthSigningAlgorithm?.rawValue),
                .optional(client.secretHashes.first),
                .optional(client.secretHashes.dropFirst().first),
                .json(.object(client.jwks.json)),
                .json(.strings(client.grantTypes.map(\.rawValue))),
                .json(.strings(client.introspectionAudiences)),
                .json(.strings(client.tokenExchangeRights.map(\.rawValue))),
                .json(.strings(client.authorizationDetailTypes)),
                .optional(client.requestObjectSigningAlgorithm?.rawValue),
                .flag(client.requireSignedRequestObject),
                .flag(client.dpopBoundAuthorizationCodes),
                .optional(client.noncePolicy?.rawValue),
                .optional(client.registrationID),
                .count(client.ownGrantRevocations),
            ]
        ) == 1
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
            tokenEndpointAuthMethod: ClientAuthenticationMethod(rawValue: try row.text(9)),
            tokenEndpointAuthSigningAlgorithm: try row.optionalText(10).map { SignatureAlgorithm(rawValue: $0) },
            secretHashes: [try row.optionalHash(11), try row.optionalHash(12)].compactMap(\.self),
            jwks: try row.keySet(13),
            grantTypes: try row.strings(14).map { GrantType(rawValue: $0) },
            introspectionAudiences: try row.strings(15),
            tokenExchangeRights: try row.strings(16).map { TokenExchangePolicy(rawValue: $0) },
            createdAt: try row.time(8)
        )
        authorizationDetailTypes = try row.strings(17)
        requestObjectSigningAlgorithm = try row.optionalText(18).map { SignatureAlgorithm(rawValue: $0) }
        requireSignedRequestObject = try row.flag(19)
        dpopBoundAuthorizationCodes = try row.flag(20)
        noncePolicy = try row.optionalText(21).map { DPoPNoncePolicy(rawValue: $0) }
        registrationID = try row.optionalText(22)
        ownGrantRevocations = Int(try row.integer(23))
    }
}
#endif
