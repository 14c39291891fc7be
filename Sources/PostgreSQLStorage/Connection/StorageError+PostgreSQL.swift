// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage

extension StorageError {
    /// The error for an SQLSTATE (PostgreSQL 15, appendix A).
    ///
    /// The server's message is left out: it can hold names and hashes.
    ///
    /// - Parameter state: Five characters.
    init(sqlState state: String) {
        switch state {
        case "23505":
            self.init(.alreadyStored, "a record of that key is stored already (SQLSTATE 23505)")
        case "40P01", "40001", "55P03", "57014", "53300":
            self.init(.busy, "the database is busy; try again (SQLSTATE \(state))")
        case "53100", "53200":
            self.init(
                .full,
                "the disk or the memory of the database is full; make room and try again (SQLSTATE \(state))"
            )
        case "25006", "57P01", "57P02", "57P03":
            self.init(.unavailable, "the database is not writable at the moment (SQLSTATE \(state))")
        case "42501", "42P01", "42703", "3F000":
            self.init(
                .statementFailed,
                "the schema or the rights do not fit this program (SQLSTATE \(state)): run keybound db status"
            )
        case "42P05", "26000":
            // Prepared statements of another connection are there, or ours are not.
            self = .isPooledByTransaction
        case "XX001", "XX002":
            self.init(.corrupted, "the database is damaged; restore a backup (SQLSTATE \(state))")
        default:
            self.init(.statementFailed, "PostgreSQL refused a statement with SQLSTATE \(state)")
        }
    }

    /// The error for a role that may not do what a server does.
    ///
    /// - Parameter missing: What it lacks, as in GRANT: one text for the schema, or one for each table.
    /// - Returns: The error, which names three of them.
    static func lacksRights(_ missing: [String]) -> Self {
        let more = missing.count > 3 ? " and rights on \(missing.count - 3) more tables" : ""
        return Self(
            .cannotOpen,
            "the role of this address may not use the tables as a server does: it lacks "
                + missing.prefix(3).joined(separator: ", ") + more
                + "; run the GRANT statements of docs/cluster.md, step 2"
        )
    }

    /// The error for a text that PostgreSQL cannot store.
    static let holdsZeroByte = Self(.statementFailed, "a text holds U+0000, which PostgreSQL cannot store")
    /// The error of a migration if another program uses a table for too long.
    static let tablesAreInUse = Self(
        .busy,
        "another program, such as a backup, uses the tables: run keybound db migrate again when it is done"
    )
    /// The error if the database is too slow to queue more operations.
    static let hasTooMuchWaiting = Self(.busy, "too many operations wait for the database; try again in a few seconds")
    /// The error behind a pooler that does not leave a connection to this program.
    static let isPooledByTransaction = Self(
        .cannotOpen,
        "a pooler gives each transaction another connection to the database: set pool_mode = session, or connect to the "
            + "database itself"
    )
    /// The error of an operation that waited too long and was never sent.
    static let waitedTooLong = Self(.busy, "the operation waited too long for the database; try again")
    /// The error while the database is away; nothing of the operation has happened.
    static let isAway = Self(.unavailable, "the database cannot be reached; try again in a few seconds")
    /// The error of a lost connection, before it is known what that means for the operation.
    static let lostConnection = Self(.unavailable, "the connection to the database was lost")
    /// The error if the connection was lost during the commit and did not come back in time.
    static let hasUnknownOutcome = Self(
        .outcomeUnknown,
        "the connection to the database was lost during the commit, and it is not known whether the change was stored"
    )
    /// The error after the store was closed.
    static let wasClosed = Self(.closed, "the store was closed; open it again to use it")
}
#endif
