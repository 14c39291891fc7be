// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage

/// What the role of a server must be allowed to do; docs/cluster.md has the GRANT statements.
///
/// A right that is missing would otherwise be noticed by the first request that needs it, and by no check before.
enum PostgreSQLRights {
    private static let all = ["SELECT", "INSERT", "UPDATE", "DELETE"]

    /// The rights that the statements of this driver need, by table.
    ///
    /// A condition, `RETURNING` and `ON CONFLICT (column)` need SELECT, and a lock on rows needs UPDATE (PostgreSQL 15,
    /// SELECT and INSERT). Nothing uses `replay_counts`.
    static let needed: [(table: String, rights: [String])] = [
        ("access_tokens", all),
        ("attempts", all),
        ("authorization_requests", all),
        ("clients", all),
        ("codes", all),
        ("consents", all),
        ("device_authorizations", all),
        ("first_party_sessions", all),
        ("grants", all),
        ("nonce_secrets", ["SELECT", "INSERT", "DELETE"]),
        ("registration_tokens", all),
        ("replay_epoch", ["SELECT", "INSERT", "UPDATE"]),
        ("replay_keys", all),
        ("replay_proofs", all),
        ("schema_version", ["SELECT"]),
        ("sessions", all),
        ("shard_secret", ["SELECT", "INSERT"]),
        ("signing_keys", all),
        ("users", all),
        ("web_origins", ["SELECT", "INSERT", "DELETE"]),
    ]

    /// Checks that the role has every right that a server needs.
    ///
    /// - Throws: ``StorageError/Code/cannotOpen``.
    static func check(_ connection: PostgreSQLConnection) throws(StorageError) {
        let pairs = needed.flatMap { table, rights in rights.map { "\($0) \(table)" } }
        let lacking = try connection.rows(
            """
            SELECT needed FROM string_to_table($1, ',') AS needed
            JOIN pg_namespace ON nspname = 'keybound'
            JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = split_part(needed, ' ', 2)
            WHERE NOT has_table_privilege(pg_class.oid, split_part(needed, ' ', 1))
            """,
            [.text(pairs.joined(separator: ","))]
        ) { row throws(StorageError) in try row.text(0) }
        let missing = needed.compactMap { table, rights -> String? in
            let names = rights.filter { lacking.contains("\($0) \(table)") }
            return names.isEmpty ? nil : names.joined(separator: ", ") + " ON keybound.\(table)"
        }
        guard missing.isEmpty else { throw .lacksRights(missing) }
    }

    /// Whether there is a version to read.
    ///
    /// Without USAGE even the question for a table fails, with an error that does not say what is missing.
    ///
    /// - Returns: `false` for a database without our schema.
    /// - Throws: ``StorageError/Code/cannotOpen`` if there is one, and the role may not read it.
    static func canReadVersion(_ connection: PostgreSQLConnection) throws(StorageError) -> Bool {
        let schema = try connection.row(
            "SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = 'keybound'"
        ) { row throws(StorageError) in try row.flag(0) }
        guard let mayUse = schema else { return false }
        guard mayUse else { throw .lacksRights(["USAGE ON SCHEMA keybound"]) }
        let table = try connection.row(
            """
            SELECT has_table_privilege(pg_class.oid, 'SELECT') FROM pg_class
            JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname = 'keybound' AND relname = 'schema_version'
            """
        ) { row throws(StorageError) in try row.flag(0) }
        guard let mayRead = table else { return false }
        guard mayRead else { throw .lacksRights(["SELECT ON keybound.schema_version"]) }
        return true
    }
}
#endif
