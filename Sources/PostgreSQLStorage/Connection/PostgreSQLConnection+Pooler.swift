// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage

extension PostgreSQLConnection {
    /// Refuses a pooler that may give each transaction another connection, as PgBouncer does with `pool_mode = transaction`.
    ///
    /// Prepared statements and settings of the session would be lost, at some time under load. With session pooling
    /// everything works.
    ///
    /// - Parameter address: Where this connection leads.
    /// - Throws: ``StorageError/Code/cannotOpen`` behind such a pooler; ``StorageError``.
    func refuseTransactionPooling(at address: PostgreSQLAddress) throws(StorageError) {
        guard isPooled else { return }
        let (first, second) = (
            try PostgreSQLConnection.open(address, for: .slow), try PostgreSQLConnection.open(address, for: .slow)
        )
        try first.run("SET keybound.session = 'first'")
        // The connection that the pooler used last is the one that it gives away next.
        try second.begin()
        _ = try second.run("SELECT 1")
        let kept = try first.row("SELECT coalesce(current_setting('keybound.session', true), '')") {
            row throws(StorageError) in try row.text(0)
        }
        second.rollBack()
        guard kept == "first" else { throw .isPooledByTransaction }
    }

    /// Whether something between this program and the database has a connection of its own.
    private var isPooled: Bool { serverProcess != Int64(processID) }
}
#endif
