// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Glibc
import OAuthSystem
import ServerStorage
import Synchronization

/// Connections for one role, each with a thread of its own, and the operations that wait for them.
///
/// Operations that wait at the same time share one transaction, so many of them cost little more than one. No task
/// resumes before the server has answered the commit.
final class PostgreSQLPool: Sendable {
    private struct State {
        var waiting: [PostgreSQLJob] = []
        var isClosed = false
        var reach = PostgreSQLReach()
        var runningThreads = 0
        /// How many threads carry out operations, or were woken to do so.
        var busyThreads = 0
        /// When a thread last began with a batch.
        var lastBatch = ContinuousClock.now
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// With so many operations waiting, another connection helps; fewer are cheaper together, once the one at work is
    /// ready.
    private static let manyWaiting = 16
    /// A batch that takes longer waits for a lock or for the disk.
    private static let slowBatch: Duration = .milliseconds(25)

    private let address: PostgreSQLAddress
    private let role: PostgreSQLConnection.Role
    private let threads: Int
    private let batchSize: Int
    private let capacity: Int
    private let timeout: Duration
    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)

    /// Makes a pool, which connects at its first operation.
    ///
    /// - Parameters:
    ///   - address: The database.
    ///   - role: What the connections are for.
    ///   - connections: How many there are.
    ///   - batchSize: How many operations share a transaction at most.
    ///   - timeout: How long an operation may take, with all its repeats.
    ///   - capacity: How many operations may wait. Further ones are rejected at once.
    init(
        _ address: PostgreSQLAddress,
        for role: PostgreSQLConnection.Role,
        connections: Int,
        batchSize: Int,
        timeout: Duration,
        capacity: Int = 10_000
    ) {
        self.address = address
        self.role = role
        threads = connections
        self.batchSize = batchSize
        self.timeout = timeout
        self.capacity = capacity
    }

    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Whether the database cannot be reached, or does not answer commits.
    var isAway: Bool { state.withLock { $0.reach.isAway } }

    /// Whether there is a connection.
    var isConnected: Bool { state.withLock { $0.reach.isConnected } }

    /// Carries out an operation, and waits until the server has answered the commit.
    ///
    /// - Parameters:
    ///   - plan: What is tried first.
    ///   - body: The operation step by step. It may run more than once, so it must only read and change the database.
    /// - Returns: What the operation returned.
    /// - Throws: What the operation threw, or ``StorageError/Code/busy``, ``StorageError/Code/unavailable``,
    ///   ``StorageError/Code/full``, ``StorageError/Code/closed``: nothing of it has happened then;
    ///   ``StorageError/Code/outcomeUnknown``.
    func perform<Value: Sendable>(
        _ plan: PostgreSQLPlan<Value>? = nil,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        let result: Result<Value, StorageError> = await withCheckedContinuation { continuation in
            submit(PostgreSQLJob(plan, body, until: .now + timeout, resuming: continuation))
        }
        return try result.get()
    }

    /// Finishes what waits, and closes the connections; a second call does nothing.
    func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isOver = state.withLock { state in
                state.isClosed = true
                if state.runningThreads > 0 { state.closers.append(continuation) }
                return state.runningThreads == 0
            }
            for _ in 0..<threads { signal.signal() }
            if isOver { continuation.resume() }
        }
    }

    /// Ends the threads without waiting for them.
    func abandon() {
        state.withLock { $0.isClosed = true }
        for _ in 0..<threads { signal.signal() }
    }

    private func submit(_ job: PostgreSQLJob) {
        let now = ContinuousClock.now
        let (refusal, wakes): (StorageError?, Bool) = state.withLock { state in
            if state.isClosed { return (.wasClosed, false) }
            if state.reach.rejects(at: now) { return (.isAway, false) }
            guard state.waiting.count < capacity else { return (.hasTooMuchWaiting, false) }
            startThreads(&state)
            guard state.runningThreads > 0 else { return (.hasTooMuchWaiting, false) }
            state.waiting.append(job)
            return (nil, wakesThread(&state, now))
        }
        if let refusal { job.fail(refusal) }
        if wakes { signal.signal() }
    }

    /// Whether another thread is needed for what waits.
    private func wakesThread(_ state: inout State, _ now: ContinuousClock.Instant) -> Bool {
        let isNeeded =
            state.busyThreads == 0 || state.waiting.count >= Self.manyWaiting || state.lastBatch + Self.slowBatch < now
        guard isNeeded, state.busyThreads < state.runningThreads else { return false }
        state.busyThreads += 1
        return true
    }

    private func startThreads(_ state: inout State) {
        while state.runningThreads < threads {
            // The system has no thread left; those that run do the work.
            guard DetachedThread.start({ [self] in work() }) else { return }
            state.runningThreads += 1
        }
    }

    /// The work of a thread, until the pool is closed.
    private func work() {
        var worker = PostgreSQLWorker(address: address, role: role)
        while true {
            signal.wait()
            while let batch = nextBatch(isConnected: worker.connection != nil) {
                putBack(worker.carryOut(batch, note))
                worker.waitForLateAnswer(note)
            }
            if state.withLock({ $0.isClosed }) { break }
            if worker.connection == nil { leaveToOthers() }
        }
        let (closers, left): ([CheckedContinuation<Void, Never>], [PostgreSQLJob]) = state.withLock { state in
            state.runningThreads -= 1
            guard state.runningThreads == 0 else { return ([], []) }
            defer { state.waiting = [] }
            return (state.closers, state.waiting)
        }
        // What a thread without a connection left to others, which saw nothing to do and then that the pool is closed.
        for job in left { job.fail(.wasClosed) }
        for closer in closers { closer.resume() }
    }

    /// Notes what a thread saw, and rejects all waiting operations if the database is away.
    ///
    /// - Returns: What the thread should do.
    private func note(_ sighting: PostgreSQLReach.Sighting) -> PostgreSQLReach.Outlook {
        let now = ContinuousClock.now
        let (outlook, refused): (PostgreSQLReach.Outlook, [PostgreSQLJob]) = state.withLock { state in
            let outlook = state.reach.note(sighting, at: now)
            if state.isClosed { return (.closed, []) }
            guard state.reach.rejects(at: now) else { return (outlook, []) }
            defer { state.waiting = [] }
            return (outlook, state.waiting)
        }
        for job in refused { job.fail(.isAway) }
        return outlook
    }

    /// The next operations; `nil` if none wait, or another thread carries them out.
    private func nextBatch(isConnected: Bool) -> [PostgreSQLJob]? {
        state.withLock { state in
            let now = ContinuousClock.now
            let isLeft = !isConnected && !state.isClosed && state.reach.leavesToOthers(at: now) != nil
            guard !state.waiting.isEmpty, !isLeft else {
                state.busyThreads = max(0, state.busyThreads - 1)
                if !state.waiting.isEmpty, wakesThread(&state, now) { signal.signal() }
                return nil
            }
            let batch = Array(state.waiting.prefix(batchSize))
            state.waiting.removeFirst(batch.count)
            state.lastBatch = now
            // Another thread shares what is left.
            if !state.waiting.isEmpty, wakesThread(&state, state.lastBatch) { signal.signal() }
            return batch
        }
    }

    /// Puts operations that a thread could not carry out back at the head of the queue.
    private func putBack(_ jobs: [PostgreSQLJob]) {
        guard !jobs.isEmpty else { return }
        state.withLock { $0.waiting.insert(contentsOf: jobs, at: 0) }
    }

    /// Sleeps through the pause of a thread without a connection, so that signals wake threads that have one.
    private func leaveToOthers() {
        let now = ContinuousClock.now
        guard let end = state.withLock({ $0.reach.leavesToOthers(at: now) }) else { return }
        usleep(UInt32(max(0, min(now.duration(to: end) / .microseconds(1), 1_000_000))))
    }
}
#endif
