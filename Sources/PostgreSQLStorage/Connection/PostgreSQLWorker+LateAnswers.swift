// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import ServerStorage

extension PostgreSQLWorker {
    /// How long the thread waits, in milliseconds, before it asks what other threads have seen.
    private static let look: UInt32 = 200

    /// If a commit was not answered in time, waits until one is.
    ///
    /// The connection stays open meanwhile: the server continues the commit even if nobody waits for it, so a new
    /// connection for each attempt would soon use up all connections of the server.
    ///
    /// - Parameter note: Tells the pool what happens, and asks what other threads have seen.
    mutating func waitForLateAnswer(_ note: Note) {
        guard unanswered != nil else { return }
        defer { unanswered = nil }
        while true {
            switch note(.waiting) {
            case .hopeful, .closed: return
            case .trial:
                let isAnswered = isAnsweredElsewhere(note)
                _ = note(.trialEnded)
                if isAnswered { return }
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

    /// Tries a commit over a new connection, unless that reaches the server that is still busy with the unanswered one.
    ///
    /// Another server may have taken over, and the former primary would never answer.
    ///
    /// - Returns: Whether it was answered; the thread then uses the new connection.
    private mutating func isAnsweredElsewhere(_ note: Note) -> Bool {
        let opened: PostgreSQLConnection
        do throws(StorageError) {
            opened = try PostgreSQLConnection.open(address, for: role)
            if let unanswered, try opened.isAtWork(unanswered.serverProcess) { return false }
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
            // A server that rejects the trial does answer; the operations will get its errors.
            opened.rollBack()
        }
        connection = opened
        _ = note(.opened)
        _ = note(.answered)
        return true
    }
}

extension PostgreSQLConnection {
    /// Whether the server has an active process with this identifier for the same database user.
    func isAtWork(_ process: Int64) throws(StorageError) -> Bool {
        let found = try row(
            """
            SELECT EXISTS (SELECT FROM pg_stat_activity
                WHERE pid = $1 AND usename = current_user AND state = 'active')
            """,
            [.integer(process)]
        ) { row throws(StorageError) in try row.flag(0) }
        return found == true
    }

    /// Commits a message that nobody reads.
    ///
    /// It is written to the log, so its commit waits for the standby like any other.
    fileprivate func commitTrial(until deadline: ContinuousClock.Instant) throws(StorageError) {
        self.deadline = deadline
        try begin()
        try later("SELECT pg_logical_emit_message(true, 'keybound', ''::text)")
        try commit()
    }
}
#endif
