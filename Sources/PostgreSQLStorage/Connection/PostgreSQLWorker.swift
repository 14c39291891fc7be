// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import ServerStorage

/// A connection in its thread, which carries out batches of operations and connects again when it must.
struct PostgreSQLWorker {
    /// Tells the pool what this thread saw.
    typealias Note = (PostgreSQLReach.Sighting) -> PostgreSQLReach.Outlook

    /// How long the server may take for one batch.
    static let batchTimeout: Duration = .seconds(5)
    /// How long it may take for one operation at least, even if that has waited for most of its time.
    private static let shortestTimeout: Duration = .seconds(1)
    /// Milliseconds between two attempts to connect, at most; then half as long or half as much longer, at random.
    private static let longestPause: UInt32 = 400
    /// How often one operation is tried that lost against another one.
    private static let attempts = 6

    let address: PostgreSQLAddress
    let role: PostgreSQLConnection.Role
    var connection: PostgreSQLConnection?
    /// The connection with a commit that was not answered in time.
    var unanswered: PostgreSQLConnection?
    /// Operations for a thread with a connection, since this one has none.
    private var handedBack: [PostgreSQLJob] = []

    init(address: PostgreSQLAddress, role: PostgreSQLConnection.Role) {
        self.address = address
        self.role = role
    }

    /// Carries out operations, and resumes their tasks.
    ///
    /// - Parameters:
    ///   - batch: The operations.
    ///   - note: Tells the pool what happens to the connection.
    /// - Returns: Operations that another thread, which has a connection, must carry out.
    mutating func carryOut(_ batch: [PostgreSQLJob], _ note: Note) -> [PostgreSQLJob] {
        handedBack = []
        let now = ContinuousClock.now
        for job in batch where job.deadline <= now { job.giveUp() }
        let (left, failed) = carryOutPlans(of: batch.filter { $0.deadline > now }, note)
        for job in failed { carryOutAlone(job, note) }
        // An operation that fails takes its batch with it, so each is tried by itself.
        for job in carryOutTogether(left, note) { carryOutAlone(job, note) }
        return handedBack
    }

    /// Carries out the operations that have a plan, all in one message.
    ///
    /// - Returns: What is left to be carried out step by step, and what must be by itself since the message failed.
    private mutating func carryOutPlans(
        of jobs: [PostgreSQLJob],
        _ note: Note
    ) -> (left: [PostgreSQLJob], failed: [PostgreSQLJob]) {
        var left = jobs.filter { $0.plan == nil }
        var planned = jobs.filter { $0.plan != nil }
        guard !planned.isEmpty, let connection = connected(for: &planned, note), !planned.isEmpty else {
            return (left, [])
        }
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
            let unknown = recover(connection, note)
            if error.code == .outcomeUnknown {
                for job in planned { job.fail(error) }
                return (left, [])
            }
            for index in planned.indices { planned[index].noteFailure(error, unknown: unknown) }
            return (left, planned)
        }
    }

    /// Carries out operations in one transaction, if there are several.
    ///
    /// - Returns: What must be carried out by itself.
    private mutating func carryOutTogether(_ all: [PostgreSQLJob], _ note: Note) -> [PostgreSQLJob] {
        guard all.count > 1, unanswered == nil else { return all }
        var jobs = all
        guard let connection = connected(for: &jobs, note), !jobs.isEmpty else { return [] }
        switch attempt(jobs, on: connection, isRepeat: false, note) {
        case .done: return []
        case .failed(let error, let unknown):
            if error.code == .outcomeUnknown {
                for job in jobs { job.fail(error) }
                return []
            }
            for index in jobs.indices { jobs[index].noteFailure(error, unknown: unknown) }
            return jobs
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
        isRepeat: Bool,
        _ note: Note
    ) -> Outcome {
        connection.isRepeat = isRepeat
        connection.deadline = deadline(of: jobs)
        do throws(StorageError) {
            try connection.begin()
            var answers: [PostgreSQLJob.Answer] = []
            for job in jobs { answers.append(try job.attempt(connection)) }
            try connection.commit()
            for answer in answers { answer() }
            return .done
        } catch {
            return .failed(error, unknown: recover(connection, note))
        }
    }

    /// Until when the server must have answered a transaction.
    private func deadline(of jobs: [PostgreSQLJob]) -> ContinuousClock.Instant {
        if role == .slow { return jobs[0].deadline }
        let now = ContinuousClock.now
        guard jobs.count == 1 else { return now + Self.batchTimeout }
        return max(jobs[0].deadline, now + Self.shortestTimeout)
    }

    /// Makes the connection ready for the next transaction, or lets go of it if it is lost.
    ///
    /// - Returns: Whether what was sent may have happened. An error that the server answered means that it did not, and a
    ///   read changes nothing.
    private mutating func recover(_ connection: PostgreSQLConnection, _ note: Note) -> Bool {
        let unknown = connection.isLost && connection.hasUnansweredCommit && role != .reading
        connection.rollBack()
        if connection.isLost {
            self.connection = nil
            _ = note(.lost)
            if unknown, connection.isOverdue {
                unanswered = connection
                _ = note(.unanswered)
            }
        }
        return unknown
    }

    private mutating func carryOutAlone(_ queued: PostgreSQLJob, _ note: Note) {
        var job = queued
        var tries = 0
        while true {
            // While one commit waits for its answer, another one would have to wait too.
            guard unanswered == nil, .now < job.deadline else { return job.giveUp() }
            var jobs = [job]
            guard let connection = connected(for: &jobs, note), !jobs.isEmpty else { return }
            switch attempt(jobs, on: connection, isRepeat: job.mayHaveHappened, note) {
            case .done: return
            case .failed(let error, let unknown):
                if error.code == .outcomeUnknown { return job.fail(error) }
                job.noteFailure(error, unknown: unknown)
                tries += 1
                let isLost = self.connection == nil
                guard isLost || Self.isWorthRepeating(connection.lastState) else { return job.fail(error) }
                // Another program, such as a dump, may hold a lock for long. A slow operation tries again until it gets
                // the lock, and pauses in between so that requests that queue behind it get their turn.
                let isHeldUp = role == .slow && connection.lastState == "55P03"
                guard isHeldUp || tries < Self.attempts else { return job.giveUp() }
                if isHeldUp { usleep(UInt32.random(in: 500_000...1_500_000)) }
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
    /// - Returns: `nil` if there is none in time; the operations were answered then, or are handed back.
    private mutating func connected(for jobs: inout [PostgreSQLJob], _ note: Note) -> PostgreSQLConnection? {
        var pause: UInt32 = 50
        while true {
            if let connection { return connection }
            let failure: StorageError
            do throws(StorageError) {
                let opened = try PostgreSQLConnection.open(address, for: role)
                connection = opened
                _ = note(.opened)
                return opened
            } catch {
                failure = error
            }
            let outlook = note(.unreachable)
            if outlook == .crowded {
                // An operation that may have happened stays: it must be repeated by itself, and not in a batch.
                for var job in jobs where !job.mayHaveHappened {
                    job.noteFailure(failure, unknown: false)
                    handedBack.append(job)
                }
                jobs.removeAll { !$0.mayHaveHappened }
                if jobs.isEmpty { return nil }
            }
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
