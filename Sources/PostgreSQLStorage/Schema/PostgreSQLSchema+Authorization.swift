// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension PostgreSQLSchema {
    /// The schema of ``PostgreSQLAuthorizationStorage``: times in milliseconds since 1970, secrets as SHA-256, and names
    /// compared byte by byte.
    ///
    /// There are no foreign keys, since each would lock a row in every insertion; what an operation needs, it locks
    /// itself. There are no sequences and no triggers: all values come from the program.
    static let authorization = PostgreSQLSchema(migrations: [
        Migration(statements: people + requests + grants + devices + keys + singleUses, oldestProgram: 1),
        Migration(statements: firstParty, oldestProgram: 1),
        Migration(statements: attempts, oldestProgram: 1),
        Migration(statements: clientKeySets, oldestProgram: 1),
        Migration(statements: userClaims, oldestProgram: 1),
    ])

    private static let people: [SQL] = [
        """
        CREATE TABLE clients (
            client_id text COLLATE "C" NOT NULL PRIMARY KEY,
            name text NOT NULL,
            redirect_uris text NOT NULL,
            scope text NOT NULL,
            dpop_bound_access_tokens bigint NOT NULL,
            require_pushed_authorization_requests bigint NOT NULL,
            id_token_signed_response_alg text,
            post_logout_redirect_uris text NOT NULL,
            created_at bigint NOT NULL,
            token_endpoint_auth_method text NOT NULL,
            token_endpoint_auth_signing_alg text,
            secret_hash bytea,
            previous_secret_hash bytea,
            jwks text NOT NULL,
            grant_types text NOT NULL,
            introspection_audiences text NOT NULL,
            token_exchange_rights text NOT NULL,
            authorization_details_types text NOT NULL,
            request_object_signing_alg text,
            require_signed_request_object bigint NOT NULL,
            dpop_bound_authorization_codes bigint NOT NULL,
            dpop_nonce_policy text,
            registration_id text COLLATE "C" UNIQUE,
            own_grant_revocations bigint NOT NULL,
            origin text NOT NULL,
            application_type text,
            allowed_web_origins text NOT NULL,
            changed_by bigint,
            expires_at bigint,
            document_expires_at bigint
        )
        """,
        "CREATE INDEX clients_by_end ON clients (expires_at) WHERE expires_at IS NOT NULL",
        // The origins of all clients, found without a client: a preflight request names none.
        """
        CREATE TABLE web_origins (
            origin text COLLATE "C" NOT NULL,
            client_id text COLLATE "C" NOT NULL,
            PRIMARY KEY (origin, client_id)
        )
        """,
        "CREATE INDEX web_origins_by_client ON web_origins (client_id)",
        """
        CREATE TABLE users (
            subject text COLLATE "C" NOT NULL PRIMARY KEY,
            username text COLLATE "C" NOT NULL UNIQUE,
            password_hash text NOT NULL,
            created_at bigint NOT NULL
        )
        """,
        """
        CREATE TABLE sessions (
            id_hash bytea NOT NULL PRIMARY KEY,
            subject text COLLATE "C" NOT NULL,
            authenticated_at bigint NOT NULL,
            acr text,
            amr text NOT NULL,
            request_hash bytea,
            expires_at bigint NOT NULL
        )
        """,
        "CREATE INDEX sessions_by_end ON sessions (expires_at)",
        "CREATE INDEX sessions_by_subject ON sessions (subject)",
        """
        CREATE TABLE consents (
            subject text COLLATE "C" NOT NULL,
            client_id text COLLATE "C" NOT NULL,
            details_hash bytea NOT NULL,
            scope text NOT NULL,
            remembered_at bigint NOT NULL,
            PRIMARY KEY (subject, client_id, details_hash)
        )
        """,
        """
        CREATE TABLE registration_tokens (
            token_hash bytea NOT NULL PRIMARY KEY,
            uses_left bigint NOT NULL,
            expires_at bigint NOT NULL,
            scope text,
            allows_bearer bigint NOT NULL
        )
        """,
    ]

    private static let requests: [SQL] = [
        """
        CREATE TABLE authorization_requests (
            handle_hash bytea NOT NULL PRIMARY KEY,
            request text NOT NULL,
            expires_at bigint NOT NULL,
            browser_hash bytea,
            used_by bigint
        )
        """,
        "CREATE INDEX authorization_requests_by_end ON authorization_requests (expires_at)",
        """
        CREATE INDEX authorization_requests_by_browser ON authorization_requests (browser_hash)
            WHERE browser_hash IS NOT NULL
        """,
    ]

    // What a rotation changes is in no index, so the new version of a row stays on its page and no index is touched. It
    // stands last, so the log has only that part. The time of deletion is indexed, and changes once an hour at most.
    private static let grants: [SQL] = [
        """
        CREATE TABLE grants (
            id text COLLATE "C" NOT NULL PRIMARY KEY,
            client_id text COLLATE "C" NOT NULL,
            subject text COLLATE "C" NOT NULL,
            scope text NOT NULL,
            authenticated_at bigint NOT NULL,
            acr text,
            amr text NOT NULL,
            created_at bigint NOT NULL,
            parent_id text COLLATE "C",
            resources text NOT NULL,
            authorization_details text NOT NULL,
            family_hash bytea,
            refresh_scope text,
            revoked_at bigint,
            expires_at bigint,
            was_unbound bigint NOT NULL DEFAULT 0,
            refresh_hash bytea,
            refresh_thumbprint text,
            refresh_ends bigint,
            previous_hash bytea,
            previous_thumbprint text,
            previous_ends bigint,
            rotated_at bigint,
            reissues bigint NOT NULL DEFAULT 0
        ) WITH (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.02)
        """,
        "CREATE INDEX grants_by_person ON grants (subject, client_id) WHERE revoked_at IS NULL",
        "CREATE INDEX grants_by_client ON grants (client_id) WHERE revoked_at IS NULL",
        "CREATE INDEX grants_by_end ON grants (expires_at)",
        // The nonce is any text of the client, also with U+0000, which text cannot hold.
        """
        CREATE TABLE codes (
            code_hash bytea NOT NULL PRIMARY KEY,
            grant_id text COLLATE "C" NOT NULL,
            client_id text COLLATE "C" NOT NULL,
            redirect_uri text NOT NULL,
            code_challenge text COLLATE "C" NOT NULL,
            code_challenge_method text NOT NULL,
            dpop_thumbprint text,
            nonce bytea,
            expires_at bigint NOT NULL,
            used_by bigint,
            UNIQUE (client_id, code_challenge)
        ) WITH (fillfactor = 85)
        """,
        "CREATE INDEX codes_by_end ON codes (expires_at)",
        """
        CREATE TABLE access_tokens (
            token_hash bytea NOT NULL PRIMARY KEY,
            grant_id text COLLATE "C" NOT NULL,
            claims text NOT NULL,
            expires_at bigint NOT NULL
        )
        """,
        "CREATE INDEX access_tokens_by_end ON access_tokens (expires_at)",
    ]

    private static let devices: [SQL] = [
        """
        CREATE TABLE device_authorizations (
            device_code_hash bytea NOT NULL PRIMARY KEY,
            user_code_hash bytea NOT NULL UNIQUE,
            client_id text COLLATE "C" NOT NULL,
            scope text NOT NULL,
            resources text NOT NULL,
            authorization_details text NOT NULL,
            dpop_thumbprint text,
            interval bigint NOT NULL,
            expires_at bigint NOT NULL,
            polled_at bigint,
            denied_by bigint,
            grant_id text COLLATE "C" NOT NULL,
            allowed_at bigint,
            used_by bigint,
            polled_by bigint,
            polled_too_soon bigint NOT NULL DEFAULT 0
        )
        """,
        "CREATE INDEX device_authorizations_by_end ON device_authorizations (expires_at)",
    ]

    private static let keys: [SQL] = [
        """
        CREATE TABLE signing_keys (
            key_id text COLLATE "C" NOT NULL PRIMARY KEY,
            algorithm text NOT NULL,
            public_key text NOT NULL,
            sealed_key bytea NOT NULL,
            published_at bigint NOT NULL,
            active_from bigint NOT NULL,
            token_lifetime bigint NOT NULL,
            revoked_at bigint
        )
        """,
        """
        CREATE TABLE nonce_secrets (
            position bigint NOT NULL PRIMARY KEY,
            number bigint NOT NULL,
            secret bytea NOT NULL,
            created_at bigint NOT NULL
        )
        """,
        "CREATE TABLE shard_secret (one bigint NOT NULL PRIMARY KEY CHECK (one = 1), secret bytea NOT NULL)",
    ]
}
#endif
