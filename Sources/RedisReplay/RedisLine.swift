// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import OAuthSystem
import Synchronization

/// One connection with a thread of its own; what waits at the same time goes out in one write.
final class RedisLine: Sendable {
    /// What is asked of Redis.
    enum Question: Sendable {
        /// Whether it is set up as it must be.
        case check
        /// To record a proof.
        case record(RedisRecord)
    }

    private struct Job: Sendable {
        let question: Question
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Result<RedisAnswer, RedisReplayError>, Never>
    }

    private struct State {
        /// How the next connection is opened.
        var configuration: RedisReplayConfiguration
        var waiting: [Job] = []
        var isRunning = false
        var isClosed = false
        /// Why the last attempt failed; `nil` if it did not.
        var failure: RedisReplayError?
        /// No new connection is tried before.
        var nextAttempt: ContinuousClock.Instant?
    }

    /// How many questions go out in one write.
    private static let batchSize = 256
    /// How long no connection is tried after one that failed; questions are rejected at once meanwhile.
    private static let pause: Duration = .milliseconds(100)

    private let timeout: Duration
    private let entropy: any Entropy
    private let state: Mutex<State>
    private let signal = DispatchSemaphore(value: 0)

    init(_ configuration: RedisReplayConfiguration, entropy: any Entropy) {
        timeout = configuration.timeout
        self.entropy = entropy
        state = Mutex(State(configuration: configuration))
    }

    var isAway: Bool { state.withLock { $0.failure != nil } }

    /// Asks, and waits for the answer.
    ///
    /// - Throws: ``RedisReplayError/Code/unavailable``, ``RedisReplayError/Code/misconfigured``,
    ///   ``RedisReplayError/Code/closed``.
    func perform(_ question: Question) async throws(RedisReplayError) -> RedisAnswer {
        let result: Result<RedisAnswer, RedisReplayError> = await withCheckedContinuation { continuation in
            submit(Job(question: question, deadline: .now + timeout, continuation: continuation))
        }
        return try result.get()
    }

    /// Uses other credentials from the next connection on.
    func signIn(as username: String?, password: [UInt8]?) {
        state.withLock { state in
            state.configuration.username = username
            state.configuration.password = password
        }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        signal.signal()
    }

    private func submit(_ job: Job) {
        let refusal: RedisReplayError? = state.withLock { state in
            if state.isClosed { return .wasClosed }
            if let failure = state.failure, let next = state.nextAttempt, .now < next { return failure }
            guard state.waiting.count < state.configuration.capacity else { return .hasTooMuchWaiting }
            if !state.isRunning {
                guard DetachedThread.start({ [self] in work() }) else { return .hasTooMuchWaiting }
                state.isRunning = true
            }
            state.waiting.append(job)
            return nil
        }
        if let refusal { job.continuation.resume(returning: .failure(refusal)) } else { signal.signal() }
    }

    /// The work of the thread, until the line is closed.
    private func work() {
        // hiredis may write to a closed connection.
        SIGPIPEBlock.onThisThread()
        var connection: RedisConnection?
        while true {
            signal.wait()
            let (batch, isClosed) = nextBatch()
            if isClosed {
                for job in batch { job.continuation.resume(returning: .failure(.wasClosed)) }
                return
            }
            if !batch.isEmpty { carryOut(batch, on: &connection) }
        }
    }

    private func nextBatch() -> ([Job], isClosed: Bool) {
        state.withLock { state in
            let batch = Array(state.waiting.prefix(state.isClosed ? state.waiting.count : Self.batchSize))
            state.waiting.removeFirst(batch.count)
            if !state.waiting.isEmpty { signal.signal() }
            return (batch, state.isClosed)
        }
    }

    private func carryOut(_ batch: [Job], on connection: inout RedisConnection?) {
        var jobs = batch
        var failure: RedisReplayError?
        while true {
            let now = ContinuousClock.now
            let late = jobs.filter { $0.deadline <= now }
            jobs.removeAll { $0.deadline <= now }
            // Before they are answered: whoever gets the answer may ask whether Redis is away.
            if jobs.isEmpty, let failure { note(failure) }
            for job in late { job.continuation.resume(returning: .failure(.isAway)) }
            guard let last = jobs.map(\.deadline).max() else { return }
            let isNew = connection == nil
            do throws(RedisReplayError) {
                let open = try opened(connection, until: last)
                connection = open
                let answers = try open.ask(jobs.map(\.question), isRepeat: failure != nil, until: last)
                note(nil)
                for (job, answer) in zip(jobs, answers) { job.continuation.resume(returning: .success(answer)) }
                return
            } catch {
                connection = nil
                failure = error
                // A connection that was idle may have been closed long ago: that says nothing about Redis.
                if !isNew, error.code == .unavailable { continue }
                note(error)
                for job in jobs { job.continuation.resume(returning: .failure(error)) }
                return
            }
        }
    }

    private func opened(
        _ connection: RedisConnection?,
        until deadline: ContinuousClock.Instant
    ) throws(RedisReplayError) -> RedisConnection {
        if let connection { return connection }
        let configuration = state.withLock { $0.configuration }
        return try RedisConnection.open(configuration, until: deadline, entropy: entropy)
    }

    private func note(_ failure: RedisReplayError?) {
        state.withLock { state in
            state.failure = failure
            state.nextAttempt = failure == nil ? nil : .now + Self.pause
        }
    }
}
#endif
