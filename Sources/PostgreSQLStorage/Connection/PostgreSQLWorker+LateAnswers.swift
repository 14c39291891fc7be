// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import ServerStorage

extension PostgreSQLWorker {
    /// How long one look at a late answer takes, in milliseconds: other threads may know more in the meantime.
    private static let look: UInt32 = 200

    /// Waits until a commit is answered, if one was not in time.
    ///
    /// The connection is kept meanwhile. The server goes on with the commit whether anybody waits or not, and with a new
    /// connection for each attempt those of the server would soon be used up.
    ///
    /// - Parameter note: Tells the pool what happens, and asks what other threads have seen.
    mutating func waitForLateAnswer(_ note: Note) {
        guard unanswered != nil else { return }
        defer { unanswered = nil }
        while true {
            switch note(.waiting) {
            case .hopeful, .closed: return
            case .trial: if isAnsweredElsewhere(note) { return }
            case .away, .crowded: break
            }
            guard let late = unanswered else {
                usleep(Self.look * 1000)
                continue
            }
            switch late.lateAnswer(until: .now + .milliseconds(Int(Self.look))) {
            case .missing: break
            case .answered:
                _ = note(.answered)
                return
            case .useless: unanswered = nil
            }
        }
    }

    /// Commits something over a new connection, unless the commit that waits is at work on the same server.
    ///
    /// Another server may have taken over, and the one that stands still would never answer.
    ///
    /// - Returns: Whether it was answered; the connection is in use then.
    private mutating func isAnsweredElsewhere(_ note: Note) -> Bool {
        let opened: PostgreSQLConnection
        do throws(StorageError) {
            opened = try PostgreSQLConnection.open(address, for: role)
            if let unanswered, try opened.isAtWork(unanswered.processID) { return false }
        } catch {
            return false
        }
        do throws(StorageError) {
            try opened.commitTrial(until: .now + Self.batchTimeout)
        } catch {
            if opened.isLost, opened.isOverdue {
                unanswered = opened
                _ = note(.trialUnanswered)
            }
            if opened.isLost || error.code == .outcomeUnknown { return false }
            // A server that refuses the trial answers; the operations find out what it does with them.
            opened.rollBack()
        }
        connection = opened
        _ = note(.opened)
        _ = note(.answered)
        return true
    }
}

extension PostgreSQLConnection {
    /// Whether a process of the server, which serves the same role, is at work.
    fileprivate func isAtWork(_ process: Int32) throws(StorageError) -> Bool {
        let found = try row(
            """
            SELECT EXISTS (SELECT FROM pg_stat_activity
                WHERE pid = $1 AND usename = current_user AND state = 'active')
            """,
            [.integer(Int64(process))]
        ) { row throws(StorageError) in try row.flag(0) }
        return found == true
    }

    /// Commits a message that nobody reads: it is in the log, so the commit waits for the standby as every other one does.
    fileprivate func commitTrial(until deadline: ContinuousClock.Instant) throws(StorageError) {
        self.deadline = deadline
        try begin()
        try later("SELECT pg_logical_emit_message(true, 'keybound', ''::text)")
        try commit()
    }
}
#endif
