// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage

extension PostgreSQLConnection {
    /// Who may hold a lock at the same time.
    enum Sharing {
        case shared
        case exclusive
    }

    /// Locks a name until the transaction ends.
    ///
    /// Two names with the same 64-bit hash wait for each other without need.
    func lock(_ name: String, _ sharing: Sharing = .exclusive) throws(StorageError) {
        // The next statement has to see what was committed while this one waited, and it does: each has a snapshot of
        // its own.
        switch sharing {
        case .shared: try later("SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))", [.text(name)])
        case .exclusive: try later("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [.text(name)])
        }
    }

    /// Locks a name if no other process holds it.
    ///
    /// - Returns: `false` if another process does.
    func tryLock(_ name: String) throws(StorageError) -> Bool {
        try row("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))", [.text(name)]) {
            row throws(StorageError) in try row.flag(0)
        } ?? false
    }

    /// Operations that issue something to a client for a user share these locks; those that take it away hold them alone.
    ///
    /// So a withdrawal sees every grant that was issued before it, and a later one sees that the consent is
    /// gone.
    func lockConsents(of subject: String, to clientID: String, _ sharing: Sharing) throws(StorageError) {
        try lockClient(clientID, .shared)
        try lockSubject(subject, sharing)
    }

    func lockClient(_ clientID: String, _ sharing: Sharing) throws(StorageError) {
        try lock("client \(clientID)", sharing)
    }

    func lockSubject(_ subject: String, _ sharing: Sharing) throws(StorageError) {
        try lock("subject \(subject)", sharing)
    }
}

extension PostgreSQLStatement {
    /// The locks of ``PostgreSQLConnection/lockConsents(of:to:_:)``, shared.
    static func lockingConsents(of subject: String, to clientID: String) -> Self {
        Self(
            """
            SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0)),
                pg_advisory_xact_lock_shared(hashtextextended($2, 0))
            """,
            [.text("client \(clientID)"), .text("subject \(subject)")]
        )
    }
}
#endif
