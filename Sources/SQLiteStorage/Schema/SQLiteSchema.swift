// SPDX-License-Identifier: Apache-2.0

import ServerStorage

#if os(Linux)
/// The tables of a database, as a list of numbered migrations.
struct SQLiteSchema: Sendable {
    /// Identifies the program that owns a file (`PRAGMA application_id`).
    var applicationID: Int32
    /// The statements that migrate each version to the next; version 0 is an empty file.
    ///
    /// Never edit a released migration; append a new one for each change.
    var migrations: [[SQL]]

    /// The version that this program reads and writes.
    var version: Int { migrations.count }

    /// Migrates a database to the version of this program; does nothing if it already has that version.
    ///
    /// - Throws: ``StorageError`` – ``StorageError/Code/cannotOpen`` if the file is not a database or belongs to
    ///   another program, ``StorageError/Code/schemaTooNew``. The file is then unchanged.
    func migrate(_ connection: SQLiteConnection) throws(StorageError) {
        guard try check(connection) < version else { return }
        try connection.transaction { () throws(StorageError) in
            // Another process may have migrated it first: check again under the write lock.
            let present = try presentVersion(connection)
            guard present < version else { return }
            for migration in migrations[present...] {
                for statement in migration { try connection.run(statement) }
            }
            try connection.run(.setSchemaVersion(Int32(version)))
            try connection.run(.setApplicationID(applicationID))
        }
    }

    /// Checks that a database is ours, or empty.
    ///
    /// - Returns: Its version.
    @discardableResult
    func check(_ connection: SQLiteConnection) throws(StorageError) -> Int {
        // Another process may create the database between two reads.
        try connection.snapshot { () throws(StorageError) in try presentVersion(connection) }
    }

    private func presentVersion(_ connection: SQLiteConnection) throws(StorageError) -> Int {
        let found = try integer("PRAGMA application_id", on: connection)
        let present = try integer("PRAGMA user_version", on: connection)
        let isEmpty = try integer("SELECT count(*) FROM sqlite_schema", on: connection) == 0
        guard found == Int64(applicationID) || (found == 0 && present == 0 && isEmpty) else {
            throw StorageError(
                .cannotOpen,
                "the database belongs to another program and was left as it is; choose another file"
            )
        }
        guard present <= Int64(version) else {
            throw StorageError(
                .schemaTooNew,
                "the database has schema version \(present) and this program knows versions up to \(version): "
                    + "start the newer program, or restore a backup from before the update"
            )
        }
        guard present >= 0 else { throw .unreadable("user_version") }
        return Int(present)
    }

    private func integer(_ sql: SQL, on connection: SQLiteConnection) throws(StorageError) -> Int64 {
        let value = try connection.row(sql) { row throws(StorageError) in try row.integer(0) }
        guard let value else { throw .unreadable("schema") }
        return value
    }
}
#endif
