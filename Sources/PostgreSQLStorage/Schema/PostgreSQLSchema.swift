// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage

/// The tables of a database, as a list of numbered migrations, in the schema `keybound`.
struct PostgreSQLSchema: Sendable {
    /// A step from one version to the next.
    struct Migration: Sendable {
        var statements: [SQL]
        /// The oldest version of the program, as its schema version, that still works with the result.
        var oldestProgram: Int
    }

    /// The migrations from each version to the next; version 0 is a database without our schema.
    ///
    /// Never edit a released migration; append a new one for each change. Expand first, so that two versions of the
    /// program work side by side, and contract in a later version.
    var migrations: [Migration]

    /// The version that this program reads and writes.
    var version: Int { migrations.count }

    /// Migrates a database to the version of this program; waits for another process that does the same.
    ///
    /// - Returns: The version that was found, before.
    /// - Throws: ``StorageError/Code/schemaTooNew``, ``StorageError/Code/busy`` if a table is in use; the database is then
    ///   unchanged.
    func migrate(_ connection: PostgreSQLConnection) throws(StorageError) -> Int {
        try connection.run("SELECT pg_advisory_xact_lock(hashtextextended('keybound migrate', 0))")
        let found = try present(connection)
        try refuseNewer(found)
        guard found.version < version else { return found.version }
        // A change of a table waits for all readers, and later reads queue behind it; they give up after a second. So
        // the change gives up earlier, and is tried again later.
        try connection.later("SET LOCAL lock_timeout = '500ms'")
        if found.version == 0 {
            try connection.later("CREATE SCHEMA IF NOT EXISTS keybound")
            try connection.later("SET LOCAL search_path = keybound")
            try connection.run(
                "CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL, oldest_program bigint NOT NULL)"
            )
        }
        for migration in migrations[found.version...] {
            for statement in migration.statements { try connection.run(statement) }
        }
        try connection.run("DELETE FROM schema_version")
        try connection.run(
            "INSERT INTO schema_version (version, oldest_program) VALUES ($1, $2)",
            [.count(version), .count(migrations.last?.oldestProgram ?? version)]
        )
        return found.version
    }

    /// Checks that this program can work with a database.
    ///
    /// - Throws: ``StorageError/Code/schemaTooNew``, ``StorageError/Code/schemaTooOld``, ``StorageError/Code/cannotOpen`` if
    ///   the role lacks rights.
    func check(_ connection: PostgreSQLConnection) throws(StorageError) {
        let found = try present(connection)
        try refuseNewer(found)
        guard found.version >= version else {
            let what = found.version == 0 ? "has no tables of Keybound" : "has schema version \(found.version)"
            throw StorageError(
                .schemaTooOld,
                "the database \(what), and this program needs version \(version): run keybound db migrate"
            )
        }
        try PostgreSQLRights.check(connection)
    }

    /// The version of a database, 0 without our schema, and the oldest program that works with it.
    ///
    /// - Throws: ``StorageError/Code/cannotOpen`` if the role may not read the version.
    func present(_ connection: PostgreSQLConnection) throws(StorageError) -> (version: Int, oldestProgram: Int) {
        guard try PostgreSQLRights.canReadVersion(connection) else { return (0, 0) }
        let found = try connection.row("SELECT version, oldest_program FROM keybound.schema_version") {
            row throws(StorageError) in (version: try row.count(0), oldestProgram: try row.count(1))
        }
        return found ?? (0, 0)
    }

    /// A newer database may still say that this program fits.
    private func refuseNewer(_ found: (version: Int, oldestProgram: Int)) throws(StorageError) {
        guard found.oldestProgram <= version else {
            throw StorageError(
                .schemaTooNew,
                "the database has schema version \(found.version), which needs a program of version "
                    + "\(found.oldestProgram) or later, and this one knows \(version): start the newer program"
            )
        }
    }
}
#endif
