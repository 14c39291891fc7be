// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import ServerStorage

/// What a database file says about itself, read without changing it.
package struct SQLiteInspection: Sendable {
    /// The version of its tables; 0 for an empty file.
    package let schemaVersion: Int
    /// The version that this program reads and writes.
    package let programVersion: Int
    /// What `PRAGMA quick_check` found; empty if the file is sound, or was not checked.
    package let damage: [String]

    /// Whether this program uses the file without changing its tables first.
    package var isCurrent: Bool { schemaVersion == programVersion }

    /// The version of the SQLite library: `3.40.1`.
    package static let libraryVersion = SQLiteConnection.libraryVersion

    /// Reads the facts.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - checkingPages: Whether to check every page, which takes about a second for each gigabyte.
    /// - Returns: The facts.
    /// - Throws: ``/ServerStorage/StorageError/Code/cannotOpen`` if the file cannot be opened or belongs to another
    ///   program, ``/ServerStorage/StorageError/Code/schemaTooNew``, ``/ServerStorage/StorageError/Code/corrupted`` if it
    ///   is no database, ``/ServerStorage/StorageError/Code/busy``.
    package static func read(_ path: String, checkingPages: Bool = false) async throws -> SQLiteInspection {
        try await BlockingWork.run { try SQLiteInspection(of: path, checkingPages: checkingPages) }
    }

    /// Rejects a database that this user can only read; changes nothing.
    ///
    /// - Parameter path: The file.
    /// - Throws: ``/ServerStorage/StorageError/Code/unavailable`` if it cannot be written,
    ///   ``/ServerStorage/StorageError/Code/cannotOpen``.
    package static func checkWritable(_ path: String) async throws {
        try await BlockingWork.run { try SQLiteFile.checkWritable(SQLiteFile.plain(path)) }
    }

    private init(of path: String, checkingPages: Bool) throws(StorageError) {
        let connection = try SQLiteConnection(path: SQLiteFile.plain(path), access: .readOnly, busyTimeout: 5000)
        let schema = SQLiteSchema.authorization
        schemaVersion = try schema.check(connection)
        programVersion = schema.version
        damage =
            checkingPages
            ? try connection.rows("PRAGMA quick_check(5)") { row throws(StorageError) in try row.text(0) }
                .filter { $0 != "ok" } : []
    }
}
#endif
