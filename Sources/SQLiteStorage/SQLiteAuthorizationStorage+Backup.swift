// SPDX-License-Identifier: Apache-2.0

public import ServerStorage

#if os(Linux)
extension SQLiteAuthorizationStorage {
    /// Writes a copy of the database in its current state, while servers continue to use it.
    ///
    /// - Parameter path: The file of the copy. It must be new or empty; an existing file keeps its mode.
    /// - Throws: ``/ServerStorage/StorageError/Code/statementFailed`` or ``/ServerStorage/StorageError/Code/corrupted`` if the file is not empty,
    ///   ``/ServerStorage/StorageError/Code/cannotOpen``, ``/ServerStorage/StorageError/Code/full``, ``/ServerStorage/StorageError/Code/busy``,
    ///   ``/ServerStorage/StorageError/Code/closed``; a file that was begun is then incomplete.
    public func copy(to path: String) async throws(StorageError) {
        let place = SQLiteFile.plain(path)
        try await reader.performSlowly { connection throws(StorageError) in
            _ = try connection.run("VACUUM INTO ?", [.text(place)])
        }
    }
}
#endif
