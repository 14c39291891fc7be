// SPDX-License-Identifier: Apache-2.0

/// A table that drivers store alike, for a copy from one to the other.
package struct StoredTable: Sendable, Hashable {
    /// Its name.
    package let name: String
    /// The columns of its primary key.
    package let key: [String]
    /// All other columns.
    package let others: [String]

    /// All columns, those of the key first.
    package var columns: [String] { key + others }

    private init(_ name: String, key: String, _ others: String) {
        self.name = name
        self.key = key.split(separator: " ").map(String.init)
        self.others = others.split(separator: " ").map(String.init)
    }

    /// Every table, in an order in which they can be filled.
    ///
    /// The replay memory of proofs and its counts are left out: the copy starts one of its own, and nonces of before do
    /// not fit it. Counted attempts are left out as well. What was recorded without a nonce, assertions above all, is copied.
    package static let all: [StoredTable] = [
        StoredTable(
            "clients",
            key: "client_id",
            """
            name redirect_uris scope dpop_bound_access_tokens require_pushed_authorization_requests \
            id_token_signed_response_alg post_logout_redirect_uris created_at token_endpoint_auth_method \
            token_endpoint_auth_signing_alg secret_hash previous_secret_hash jwks grant_types introspection_audiences \
            token_exchange_rights authorization_details_types request_object_signing_alg \
            require_signed_request_object dpop_bound_authorization_codes dpop_nonce_policy registration_id \
            own_grant_revocations origin application_type allowed_web_origins changed_by expires_at document_expires_at \
            first_party jwks_uri
            """
        ),
        StoredTable("web_origins", key: "origin client_id", ""),
        StoredTable("users", key: "subject", "username password_hash created_at claims"),
        StoredTable("sessions", key: "id_hash", "subject authenticated_at acr amr request_hash expires_at"),
        StoredTable(
            "first_party_sessions",
            key: "id",
            "value_hash client_id subject key_thumbprint request progress grant_id ended_by expires_at"
        ),
        StoredTable("consents", key: "subject client_id details_hash", "scope remembered_at"),
        StoredTable("registration_tokens", key: "token_hash", "uses_left expires_at scope allows_bearer"),
        StoredTable("authorization_requests", key: "handle_hash", "request expires_at browser_hash used_by"),
        StoredTable(
            "grants",
            key: "id",
            """
            client_id subject scope authenticated_at acr amr created_at parent_id resources authorization_details \
            family_hash refresh_scope revoked_at expires_at was_unbound refresh_hash refresh_thumbprint refresh_ends \
            previous_hash previous_thumbprint previous_ends rotated_at reissues
            """
        ),
        StoredTable(
            "codes",
            key: "code_hash",
            """
            grant_id client_id redirect_uri code_challenge code_challenge_method dpop_thumbprint nonce expires_at used_by
            """
        ),
        StoredTable("access_tokens", key: "token_hash", "grant_id claims expires_at"),
        StoredTable(
            "device_authorizations",
            key: "device_code_hash",
            """
            user_code_hash client_id scope resources authorization_details dpop_thumbprint interval expires_at polled_at \
            denied_by grant_id allowed_at used_by polled_by polled_too_soon
            """
        ),
        StoredTable(
            "signing_keys",
            key: "key_id",
            "algorithm public_key sealed_key published_at active_from token_lifetime revoked_at"
        ),
        StoredTable("nonce_secrets", key: "position", "number secret created_at"),
        StoredTable("shard_secret", key: "one", "secret"),
        StoredTable("replay_keys", key: "digest", "owner expires_at attempt"),
    ]
}
