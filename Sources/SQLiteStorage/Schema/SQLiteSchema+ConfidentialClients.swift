// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// Client authentication and client credentials grants.
    static let confidentialClients: [SQL] = [
        "ALTER TABLE clients ADD COLUMN token_endpoint_auth_method TEXT NOT NULL DEFAULT 'none'",
        "ALTER TABLE clients ADD COLUMN token_endpoint_auth_signing_alg TEXT",
        "ALTER TABLE clients ADD COLUMN secret_hash BLOB",
        "ALTER TABLE clients ADD COLUMN previous_secret_hash BLOB",
        """
        ALTER TABLE clients ADD COLUMN jwks TEXT NOT NULL DEFAULT '{"keys":[]}'
        """,
        """
        ALTER TABLE clients ADD COLUMN grant_types TEXT NOT NULL DEFAULT '["authorization_code","refresh_token"]'
        """,
        "ALTER TABLE clients ADD COLUMN introspection_audiences TEXT NOT NULL DEFAULT '[]'",
        // The expiry of a grant that has only an access token.
        "ALTER TABLE grants ADD COLUMN expires_at INTEGER",
        "CREATE INDEX grants_by_end ON grants (expires_at) WHERE expires_at IS NOT NULL",
    ]
}
#endif
