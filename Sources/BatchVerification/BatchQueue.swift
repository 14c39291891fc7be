// SPDX-License-Identifier: Apache-2.0

import JOSE
import Synchronization

/// Collects concurrent verifications of one algorithm into batches.
///
/// A caller that may verify is a leader; there are at most as many leaders as processors. A leader verifies one batch,
/// made of its own signature and the oldest waiting ones, and resumes their callers. Then it makes the oldest remaining
/// caller the next leader, so no caller works for others longer than one batch takes. There is always a leader while
/// callers wait. Too few signatures for a batch to pay off are not verified as one: each of their callers leads itself,
/// on a free processor if there is one, and no caller verifies signatures one by one for others.
final class BatchQueue: Sendable {
    private enum Arrival {
        case alone
        case leading
        case gathering
        case waiting
        case unlisted
    }

    private enum Turn {
        case verified(Bool)
        case lead
        case cancelled
    }

    /// Resumed exactly once: by the leader that takes it from the queue, or by the one that makes it a leader.
    @safe
    private struct Waiter {
        let token: SignedToken
        /// The token's own lane, prepared by its caller: the leader, which may run on another processor, only copies
        /// it.
        let lane: SignatureBatch
        private let continuation: UnsafeContinuation<Turn, Never>

        init(_ token: SignedToken, _ lane: SignatureBatch, _ continuation: UnsafeContinuation<Turn, Never>) {
            (self.token, self.lane) = (token, lane)
            unsafe self.continuation = unsafe continuation
        }

        func resume(_ turn: Turn) { unsafe continuation.resume(returning: turn) }
    }

    private struct State {
        var waiting = RingBuffer<Waiter>()
        var leaders = 0
        var timeout = BatchingPolicy()
        var statistics = SignatureBatchStatistics()
    }

    private let algorithm: BatchAlgorithm
    private let backend: BatchBackend
    private let breakEven: Int
    private let verifiers: Int
    private let capacity: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(
        _ algorithm: BatchAlgorithm,
        _ backend: BatchBackend,
        verifiers: Int,
        capacity: Int,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.algorithm = algorithm
        self.backend = backend
        breakEven = backend.verifier.breakEven(algorithm)
        (self.verifiers, self.capacity, self.now) = (verifiers, capacity, now)
    }

    var statistics: SignatureBatchStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.waiting = state.waiting.count
            return statistics
        }
    }

    /// Verifies one signature, alone or in a batch.
    func isSigned(_ token: SignedToken) async throws(CancellationError) -> Bool {
        switch arrive() {
        case .alone:
            defer { finish(1, isGroup: false) }
            return token.isSigned()
        case .leading:
            return lead(token)
        case .gathering:
            // Yields to all runnable tasks, which may reach this queue too.
            await Task.yield()
            return lead(token)
        case .waiting:
            guard let lane = layOut(token) else {
                state.withLock { $0.statistics.count(1, isBatch: false) }
                return false
            }
            return try await wait(token, lane)
        case .unlisted:
            return token.isSigned()
        }
    }

    /// Verifies a batch that one caller holds.
    func areSigned(_ tokens: [SignedToken]) -> UInt8 {
        state.withLock { $0.statistics.count(tokens.count, isBatch: tokens.count >= breakEven) }
        return backend.areSigned(tokens, with: algorithm)
    }

    private func arrive() -> Arrival {
        state.withLock { state in
            guard state.leaders < verifiers else { return state.waiting.count < capacity ? .waiting : .unlisted }
            state.leaders += 1
            guard state.waiting.isEmpty else { return .leading }
            return state.timeout.shouldGather(at: now()) ? .gathering : .alone
        }
    }

    /// `nil` if a check fails that the backend leaves out: the signature is invalid.
    private func layOut(_ token: SignedToken) -> SignatureBatch? {
        var lane = SignatureBatch(algorithm, capacity: 1)
        return token.append(to: &lane) ? lane : nil
    }

    private func wait(_ token: SignedToken, _ lane: SignatureBatch) async throws(CancellationError) -> Bool {
        let turn = await withTaskCancellationHandler {
            unsafe await withUnsafeContinuation { continuation in
                let waiter = unsafe Waiter(token, lane, continuation)
                // All leaders may have finished in the meantime.
                let leadsNow = state.withLock { state in
                    guard state.leaders < verifiers else {
                        state.waiting.append(waiter)
                        return false
                    }
                    state.leaders += 1
                    return true
                }
                if leadsNow { waiter.resume(.lead) }
            }
        } onCancel: {
            token.cancel()
        }
        switch turn {
        case .verified(let isSigned): return isSigned
        case .lead:
            guard !token.isCancelled else {
                finish(0, isGroup: false)
                throw CancellationError()
            }
            return lead(token, lane)
        case .cancelled: throw CancellationError()
        }
    }

    /// Verifies a batch that includes the leader's own signature.
    ///
    /// A caller that did not wait has no lane for it yet.
    private func lead(_ own: SignedToken, _ ownLane: SignatureBatch? = nil) -> Bool {
        let taken = state.withLock { state in
            let size = min(state.waiting.count + 1, SignatureBatch.maximumCount)
            return size < breakEven ? [] : state.waiting.takeOldest(SignatureBatch.maximumCount - 1)
        }
        var group: [Waiter] = []
        group.reserveCapacity(taken.count)
        for waiter in taken {
            // A caller that cancels later receives the result.
            if waiter.token.isCancelled { waiter.resume(.cancelled) } else { group.append(waiter) }
        }
        let count = group.count + 1
        defer { finish(count, isGroup: true) }
        guard count >= breakEven else {
            for waiter in group { waiter.resume(.verified(waiter.token.isSigned())) }
            return own.isSigned()
        }
        var lanes = SignatureBatch(algorithm)
        for waiter in group { lanes.append(contentsOf: waiter.lane) }
        let lane = ownLane ?? layOut(own)
        if let lane { lanes.append(contentsOf: lane) }
        let results = backend.verifier.validLanes(lanes)
        for (index, waiter) in group.enumerated() { waiter.resume(.verified(results >> UInt8(index) & 1 == 1)) }
        return lane != nil && results >> UInt8(group.count) & 1 == 1
    }

    /// Ends a leader's turn.
    ///
    /// Waiting callers become leaders: one for each batch, or all of them if too few for one; at most
    /// as many as there are free verifiers.
    private func finish(_ count: Int, isGroup: Bool) {
        let time = now()
        let leaders = state.withLock { state in
            state.timeout.seen(at: time)
            let isBatch = isGroup && count >= breakEven
            state.statistics.count(count, isBatch: isBatch)
            // A batch at the break-even size saves no time that would pay for yielding.
            if isGroup { state.timeout.gathered(enough: count > breakEven) }
            state.leaders -= 1
            let new = min(groups(of: state.waiting.count), verifiers - state.leaders)
            state.leaders += new
            return state.waiting.takeOldest(new)
        }
        for leader in leaders { leader.resume(.lead) }
    }

    /// The number of leaders that so many callers need.
    private func groups(of count: Int) -> Int {
        let most = SignatureBatch.maximumCount
        return min(count, most) < breakEven ? count : (count + most - 1) / most
    }
}
