// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CSQLite
import ServerStorage

extension StorageError {
    /// The error for a result code of SQLite.
    ///
    /// - Parameters:
    ///   - result: The extended result code (https://www.sqlite.org/rescode.html).
    ///   - message: The message of SQLite: names of tables and columns, never a bound value.
    init(sqliteResult result: Int32, message: String) {
        // The primary code is the low byte of the extended one.
        // _PRIMARYKEY, _UNIQUE and _ROWID are macros, which Swift does not see.
        let uniqueness = [6, 8, 10].map { SQLITE_CONSTRAINT | ($0 << 8) }
        switch result & 0xFF {
        case SQLITE_CONSTRAINT where uniqueness.contains(result):
            self.init(.alreadyStored, "a record of that key is stored already (\(message))")
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(.busy, "another process holds the database; try again (\(message))")
        case SQLITE_FULL:
            self.init(.full, "the disk or the database is full; make room and try again (\(message))")
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            self.init(.corrupted, "the database is damaged; restore a backup (\(message))")
        case SQLITE_READONLY:
            self.init(
                .unavailable,
                "the database cannot be written: this user may only read it, or its file system is mounted read-only "
                    + "(\(message))"
            )
        case SQLITE_CANTOPEN:
            self.init(
                .unavailable,
                "the database or its log cannot be opened: this user must be able to write to their directory, and the "
                    + "file system must not be mounted read-only (\(message))"
            )
        default:
            self.init(.statementFailed, "SQLite refused a statement with result \(result): \(message)")
        }
    }

    /// The error if the disk is too slow to queue more operations.
    static let hasTooMuchWaiting = Self(.busy, "too many operations wait for the disk; try again in a few seconds")

    /// The error after the store was closed.
    static let wasClosed = Self(.closed, "the store was closed; open it again to use it")
}
#endif
