// SPDX-License-Identifier: Apache-2.0

public import ServerStorage

#if os(Linux)
extension SQLiteAuthorizationStorage {
    /// Writes a copy of the database as it is at this moment, while servers go on using it.
    ///
    /// - Parameter path: The file of the copy: not there yet, or empty. It keeps its mode when it is there.
    /// - Throws: ``/ServerStorage/StorageError/Code/statementFailed`` or ``/ServerStorage/StorageError/Code/corrupted`` when
    ///   something is in the file already, ``/ServerStorage/StorageError/Code/cannotOpen``,
    ///   ``/ServerStorage/StorageError/Code/full``, ``/ServerStorage/StorageError/Code/busy``,
    ///   ``/ServerStorage/StorageError/Code/closed``; a file that was begun is not complete then.
    public func copy(to path: String) async throws(StorageError) {
        let place = SQLiteFile.plain(path)
        try await reader.performSlowly { connection throws(StorageError) in
            _ = try connection.run("VACUUM INTO ?", [.text(place)])
        }
    }
}
#endif
