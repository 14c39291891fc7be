// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// Clients that show who they are, and what they are given for themselves.
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
        // When a grant ends under which only an access token was given out.
        "ALTER TABLE grants ADD COLUMN expires_at INTEGER",
        "CREATE INDEX grants_by_end ON grants (expires_at) WHERE expires_at IS NOT NULL",
    ]
}
#endif
