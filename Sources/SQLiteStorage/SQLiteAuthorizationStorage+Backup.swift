// SPDX-License-Identifier: Apache-2.0

public import ServerStorage

#if os(Linux)
extension SQLiteAuthorizationStorage {
    /// Rejects a database that others may read or change; opens nothing.
    ///
    /// - Parameter path: The file, which need not exist.
    /// - Throws: ``/ServerStorage/StorageError/Code/cannotOpen``, with the `chmod` that helps.
    package static func checkAccess(to path: String) throws(StorageError) {
        try SQLiteFile.checkAccess(to: SQLiteFile.plain(path))
    }

    /// Writes a copy of the database in its current state, while servers continue to use it.
    ///
    /// - Parameter path: The file of the copy. It must be new, and only its owner can read it then, or
    ///   empty.
    /// - Throws: ``/ServerStorage/StorageError/Code/statementFailed`` or ``/ServerStorage/StorageError/Code/corrupted`` if the file is not empty,
    ///   ``/ServerStorage/StorageError/Code/cannotOpen``, ``/ServerStorage/StorageError/Code/full``, ``/ServerStorage/StorageError/Code/busy``,
    ///   ``/ServerStorage/StorageError/Code/closed``; a file that was begun is then incomplete.
    public func copy(to path: String) async throws(StorageError) {
        let place = SQLiteFile.plain(path)
        try await reader.performSlowly { connection throws(StorageError) in
            try SQLiteFile.createPrivately(place)
            _ = try connection.run("VACUUM INTO ?", [.text(place)])
        }
    }
}
#endif
