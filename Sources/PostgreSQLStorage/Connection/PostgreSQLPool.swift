// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
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
        /// Since when no connection can be made; `nil` while there is one.
        var awaySince: ContinuousClock.Instant?
        var runningThreads = 0
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// How long operations still wait after the database was lost; then they are rejected at once.
    private static let patience: Duration = .seconds(1)

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

    /// Whether the database cannot be reached.
    var isAway: Bool { state.withLock { $0.awaySince != nil } }

    /// Carries out an operation, and waits until the server has answered the commit.
    ///
    /// - Parameter body: The operation. It may run more than once, so it must only read and change the database.
    /// - Returns: What the operation returned.
    /// - Throws: What the operation threw, or ``StorageError/Code/busy``, ``StorageError/Code/unavailable``,
    ///   ``StorageError/Code/full``, ``StorageError/Code/closed``: nothing of it has happened then;
    ///   ``StorageError/Code/outcomeUnknown``.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        let result: Result<Value, StorageError> = await withCheckedContinuation { continuation in
            submit(PostgreSQLJob(body, until: .now + timeout, resuming: continuation))
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
        let refusal: StorageError? = state.withLock { state in
            if state.isClosed { return .wasClosed }
            if let since = state.awaySince, since + Self.patience < now { return .isAway }
            guard state.waiting.count < capacity else { return .hasTooMuchWaiting }
            startThreads(&state)
            guard state.runningThreads > 0 else { return .hasTooMuchWaiting }
            state.waiting.append(job)
            return nil
        }
        if let refusal { job.fail(refusal) } else { signal.signal() }
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
            guard let batch = nextBatch() else { break }
            guard !batch.isEmpty else { continue }
            worker.carryOut(batch, isAway: noteAway)
        }
        let closers = state.withLock { state in
            state.runningThreads -= 1
            return state.runningThreads == 0 ? state.closers : []
        }
        for closer in closers { closer.resume() }
    }

    /// Notes whether a connection could be made.
    ///
    /// - Returns: Whether to go on trying: since when there is none, if that was not too long ago.
    private func noteAway(_ isAway: Bool) -> PostgreSQLWorker.Outlook {
        let now = ContinuousClock.now
        let (outlook, refused): (PostgreSQLWorker.Outlook, [PostgreSQLJob]) = state.withLock { state in
            guard isAway else {
                state.awaySince = nil
                return (.hopeful, [])
            }
            let since = state.awaySince ?? now
            state.awaySince = since
            if state.isClosed { return (.closed, []) }
            guard since + Self.patience < now else { return (.hopeful, []) }
            defer { state.waiting = [] }
            return (.away, state.waiting)
        }
        for job in refused { job.fail(.isAway) }
        return outlook
    }

    /// What waits; `nil` once the pool is closed and nothing waits.
    private func nextBatch() -> [PostgreSQLJob]? {
        state.withLock { state in
            if state.waiting.isEmpty { return state.isClosed ? nil : [] }
            let batch = Array(state.waiting.prefix(batchSize))
            state.waiting.removeFirst(batch.count)
            // Another thread shares what is left.
            if !state.waiting.isEmpty { signal.signal() }
            return batch
        }
    }
}
#endif
