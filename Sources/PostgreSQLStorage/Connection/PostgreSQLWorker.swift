// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import ServerStorage

/// A connection in its thread, which carries out batches of operations and connects again when it must.
struct PostgreSQLWorker {
    /// What the pool knows about the database.
    enum Outlook {
        /// It is there, or was a moment ago.
        case hopeful
        /// It has not been reached for some time: nothing waits for it any more.
        case away
        /// The store is being closed.
        case closed
    }

    /// How long the server may take for one batch.
    private static let batchTimeout: Duration = .seconds(5)
    /// Milliseconds between two attempts to connect, at most; then half as long or half as much longer, at random.
    private static let longestPause: UInt32 = 400
    /// How often one operation is tried that lost against another one.
    private static let attempts = 6

    private let address: PostgreSQLAddress
    private let role: PostgreSQLConnection.Role
    private var connection: PostgreSQLConnection?

    init(address: PostgreSQLAddress, role: PostgreSQLConnection.Role) {
        self.address = address
        self.role = role
    }

    /// Carries out operations, and resumes their tasks.
    ///
    /// - Parameters:
    ///   - batch: The operations.
    ///   - isAway: Notes whether a connection could be made.
    mutating func carryOut(_ batch: [PostgreSQLJob], isAway: (Bool) -> Outlook) {
        let now = ContinuousClock.now
        for job in batch where job.deadline <= now { job.fail(.waitedTooLong) }
        var (jobs, failed) = carryOutPlans(of: batch.filter { $0.deadline > now }, isAway)
        for job in failed { carryOutAlone(job, isAway) }
        if jobs.count > 1 {
            guard let connection = connected(for: &jobs, isAway), !jobs.isEmpty else { return }
            switch attempt(jobs, on: connection, isRepeat: false) {
            case .done: return
            case .failed(let error, let unknown):
                if error.code == .outcomeUnknown {
                    for job in jobs { job.fail(error) }
                    return
                }
                for index in jobs.indices { jobs[index].mayHaveHappened = unknown }
            }
        }
        // An operation that fails takes its batch with it, so each is tried by itself.
        for job in jobs { carryOutAlone(job, isAway) }
    }

    /// Carries out the operations that have a plan, all in one message.
    ///
    /// - Returns: What is left to be carried out step by step, and what must be by itself since the message failed.
    private mutating func carryOutPlans(
        of jobs: [PostgreSQLJob],
        _ isAway: (Bool) -> Outlook
    ) -> (left: [PostgreSQLJob], failed: [PostgreSQLJob]) {
        var left = jobs.filter { $0.plan == nil }
        var planned = jobs.filter { $0.plan != nil }
        guard !planned.isEmpty, let connection = connected(for: &planned, isAway) else { return (left, []) }
        planned.sort { ($0.plan?.order ?? "") < ($1.plan?.order ?? "") }
        connection.isRepeat = false
        connection.deadline = .now + Self.batchTimeout
        do throws(StorageError) {
            let statements = planned.lazy.flatMap { $0.plan?.statements ?? [] }
            var results = try connection.transact(statements)[...]
            for job in planned {
                guard let plan = job.plan else { continue }
                let own = results.prefix(plan.statements.count)
                results = results.dropFirst(plan.statements.count)
                // A row that cannot be read is the error of its operation alone, which finds it again.
                if let answer = try? plan.answer(connection, own) { answer() } else { left.append(job) }
            }
            return (left, [])
        } catch {
            let unknown = recover(connection)
            if error.code == .outcomeUnknown {
                for job in planned { job.fail(error) }
                return (left, [])
            }
            for index in planned.indices { planned[index].mayHaveHappened = unknown }
            return (left, planned)
        }
    }

    private enum Outcome {
        case done
        case failed(StorageError, unknown: Bool)
    }

    /// Carries out operations in one transaction.
    private mutating func attempt(
        _ jobs: [PostgreSQLJob],
        on connection: PostgreSQLConnection,
        isRepeat: Bool
    ) -> Outcome {
        connection.isRepeat = isRepeat
        connection.deadline = role == .slow ? jobs[0].deadline : .now + Self.batchTimeout
        do throws(StorageError) {
            try connection.begin()
            var answers: [PostgreSQLJob.Answer] = []
            for job in jobs { answers.append(try job.attempt(connection)) }
            try connection.commit()
            for answer in answers { answer() }
            return .done
        } catch {
            return .failed(error, unknown: recover(connection))
        }
    }

    /// Makes the connection ready for the next transaction, or lets go of it if it is lost.
    ///
    /// - Returns: Whether what was sent may have happened. An error that the server answered means that it did not, and a
    ///   read changes nothing.
    private mutating func recover(_ connection: PostgreSQLConnection) -> Bool {
        let unknown = connection.isLost && connection.hasUnansweredCommit && role != .reading
        connection.rollBack()
        if connection.isLost { self.connection = nil }
        return unknown
    }

    private mutating func carryOutAlone(_ queued: PostgreSQLJob, _ isAway: (Bool) -> Outlook) {
        var job = queued
        var tries = 0
        while true {
            var jobs = [job]
            guard let connection = connected(for: &jobs, isAway), !jobs.isEmpty else { return }
            switch attempt(jobs, on: connection, isRepeat: job.mayHaveHappened) {
            case .done: return
            case .failed(let error, let unknown):
                if error.code == .outcomeUnknown { return job.fail(error) }
                job.mayHaveHappened = job.mayHaveHappened || unknown
                tries += 1
                let isLost = self.connection == nil
                guard isLost || Self.isWorthRepeating(connection.lastState) else { return job.fail(error) }
                guard tries < Self.attempts, .now < job.deadline else {
                    return job.fail(job.mayHaveHappened ? .hasUnknownOutcome : error)
                }
            }
        }
    }

    /// Whether the same operation may succeed now: it lost against another one, or that one has stored the row that
    /// it did not see before.
    private static func isWorthRepeating(_ state: String) -> Bool {
        ["40P01", "40001", "55P03", "23505"].contains(state)
    }

    /// The connection, or a new one; waits for the database.
    ///
    /// - Returns: `nil` if there is none in time; the operations were answered then.
    private mutating func connected(
        for jobs: inout [PostgreSQLJob],
        _ isAway: (Bool) -> Outlook
    ) -> PostgreSQLConnection? {
        var pause: UInt32 = 50
        while true {
            if let connection { return connection }
            let failure: StorageError
            do throws(StorageError) {
                let opened = try PostgreSQLConnection.open(address, for: role)
                connection = opened
                _ = isAway(false)
                return opened
            } catch {
                failure = error
            }
            let outlook = isAway(true)
            let now = ContinuousClock.now
            // A caller whose operation has not happened need not wait long.
            jobs.removeAll { job in
                let isOver = outlook == .closed || (job.mayHaveHappened ? job.deadline <= now : outlook == .away)
                if isOver { job.fail(job.mayHaveHappened ? .hasUnknownOutcome : failure) }
                return isOver
            }
            // With nothing left to do, this thread goes on looking for the database, since no new operation is let in.
            if outlook == .closed { return nil }
            usleep(pause * UInt32.random(in: 500...1500))
            pause = min(pause * 2, Self.longestPause)
        }
    }
}
#endif
