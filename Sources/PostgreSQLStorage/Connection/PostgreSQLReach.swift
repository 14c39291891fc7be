// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// What the threads of a pool know about their database: whether it can be reached, and whether it commits.
struct PostgreSQLReach {
    /// What a thread saw.
    enum Sighting {
        /// It opened a connection.
        case opened
        /// Its connection is lost.
        case lost
        /// It cannot open a connection.
        case unreachable
        /// A commit was not answered in time.
        case unanswered
        /// It is still waiting for the answer to such a commit.
        case waiting
        /// A trial commit was not answered in time either.
        case trialUnanswered
        /// A trial is over, whatever came of it.
        case trialEnded
        /// A commit was answered, after the standby had confirmed it if one is required.
        case answered
    }

    /// What the thread should do next.
    enum Outlook {
        /// Go on: the database is there, or was a moment ago.
        case hopeful
        /// Leave its operations to another thread, which has a connection.
        case crowded
        /// Reject its operations: for some time the database has not been reached, or has not committed.
        case away
        /// Find out whether a commit over a new connection is answered.
        case trial
        /// Stop: the store is being closed.
        case closed
    }

    /// How long operations keep waiting after the database was lost; later ones are rejected at once.
    private static let patience: Duration = .seconds(1)
    /// How long threads without a connection leave the work to the others after one could not be opened.
    private static let pause: Duration = .milliseconds(400)
    /// The time between two trials, at first and at most.
    ///
    /// A trial without an answer leaves a waiting process at the server.
    private static let trialPauses: (first: Duration, longest: Duration) = (.seconds(2), .seconds(60))

    /// How many threads have a connection.
    private var connected = 0
    /// Since when no connection can be opened, and no thread has one; `nil` while there is one.
    private var awaySince: ContinuousClock.Instant?
    /// Since when a commit waits for its answer.
    ///
    /// A new connection does not end this: without its last synchronous standby the database still accepts connections
    /// and reads, but commits nothing.
    private var unansweredSince: ContinuousClock.Instant?
    /// When a thread without a connection may open one again.
    private var opensAgain: ContinuousClock.Instant?
    private var nextTrial: ContinuousClock.Instant?
    /// Whether a thread is at a trial, which can take longer than the pause between two.
    private var isTrying = false
    private var trialPause = Self.trialPauses.first

    /// Whether the database cannot be reached, or does not commit.
    var isAway: Bool { awaySince != nil || unansweredSince != nil }

    /// Whether a thread has a connection.
    var isConnected: Bool { connected > 0 }

    /// Whether operations are rejected at once.
    func rejects(at now: ContinuousClock.Instant) -> Bool {
        [awaySince, unansweredSince].contains { since in since.map { $0 + Self.patience < now } ?? false }
    }

    /// Until when a thread without a connection leaves the work to those that have one; `nil` if it may open one.
    func leavesToOthers(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard connected > 0, let opensAgain, now < opensAgain else { return nil }
        return opensAgain
    }

    /// Notes what a thread saw.
    ///
    /// - Parameters:
    ///   - sighting: What it saw.
    ///   - now: The time.
    /// - Returns: What the thread should do.
    mutating func note(_ sighting: Sighting, at now: ContinuousClock.Instant) -> Outlook {
        switch sighting {
        case .opened:
            connected += 1
            (awaySince, opensAgain) = (nil, nil)
        case .lost: connected -= 1
        case .unreachable: return noteUnreachable(at: now)
        case .unanswered:
            if unansweredSince == nil { (unansweredSince, nextTrial) = (now, now) }
        case .trialUnanswered:
            trialPause = min(trialPause * 2, Self.trialPauses.longest)
        case .trialEnded:
            isTrying = false
            nextTrial = unansweredSince == nil ? nil : now + trialPause
        case .waiting:
            guard unansweredSince != nil else { return .hopeful }
            guard !isTrying, let next = nextTrial, next <= now else { return .away }
            isTrying = true
            return .trial
        case .answered:
            (unansweredSince, nextTrial, trialPause) = (nil, nil, Self.trialPauses.first)
        }
        return .hopeful
    }

    private mutating func noteUnreachable(at now: ContinuousClock.Instant) -> Outlook {
        // The server may allow no further connection, and serve those that there are.
        if connected > 0 {
            opensAgain = now + Self.pause
            return .crowded
        }
        let since = awaySince ?? now
        awaySince = since
        return since + Self.patience < now ? .away : .hopeful
    }
}
#endif
