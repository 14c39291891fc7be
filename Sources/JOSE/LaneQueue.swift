// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import Synchronization

/// Where the callers of one algorithm meet.
///
/// A caller that may verify is a leader; there are at most as many as processors. A leader verifies one group, its own
/// signature and the oldest that wait, wakes those, and makes the oldest of the rest the next leader: so nobody works for
/// others longer than one group takes. While anybody waits there is a leader.
final class LaneQueue: Sendable {
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

    /// A signature whose caller may lose interest while it waits.
    private final class PendingToken: Sendable {
        let token: SignedToken
        private let cancelled = Atomic<Bool>(false)

        init(_ token: SignedToken) { self.token = token }

        var isCancelled: Bool { cancelled.load(ordering: .relaxed) }
        func cancel() { cancelled.store(true, ordering: .relaxed) }
    }

    private struct Waiter {
        let pending: PendingToken
        let continuation: CheckedContinuation<Turn, Never>
    }

    private struct State {
        /// Oldest first.
        var waiting: [Waiter] = []
        var leaders = 0
        var patience = GatheringPatience()
        var statistics = SignatureBatchStatistics()
    }

    private let algorithm: LaneAlgorithm
    private let accelerator: SignatureAccelerator
    private let breakEven: Int
    private let verifiers: Int
    private let capacity: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(
        _ algorithm: LaneAlgorithm,
        _ accelerator: SignatureAccelerator,
        verifiers: Int,
        capacity: Int,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.algorithm = algorithm
        self.accelerator = accelerator
        breakEven = accelerator.verifier.breakEven(algorithm)
        (self.verifiers, self.capacity, self.now) = (verifiers, capacity, now)
    }

    var statistics: SignatureBatchStatistics { state.withLock { $0.statistics } }

    /// Verifies one signature, alone or with others.
    func isSigned(_ token: SignedToken) async throws(CancellationError) -> Bool {
        switch arrive() {
        case .alone:
            defer { finish(1, isGroup: false) }
            return token.isSigned()
        case .leading:
            return lead(token)
        case .gathering:
            // Behind everybody who can run now, and may come here.
            await Task.yield()
            return lead(token)
        case .waiting:
            return try await wait(PendingToken(token))
        case .unlisted:
            return token.isSigned()
        }
    }

    /// Verifies a group that one caller holds.
    func areSigned(_ tokens: [SignedToken]) -> [Bool] {
        state.withLock { $0.statistics.count(tokens.count, isBatch: tokens.count >= breakEven) }
        return accelerator.areSigned(tokens, with: algorithm)
    }

    private func arrive() -> Arrival {
        let time = now()
        return state.withLock { state in
            guard state.leaders < verifiers else { return state.waiting.count < capacity ? .waiting : .unlisted }
            state.leaders += 1
            guard state.waiting.isEmpty else { return .leading }
            return state.patience.shouldGather(at: time) ? .gathering : .alone
        }
    }

    private func wait(_ pending: PendingToken) async throws(CancellationError) -> Bool {
        let turn = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The leaders may have ended since.
                let leadsNow = state.withLock { state in
                    guard state.leaders < verifiers else {
                        state.waiting.append(Waiter(pending: pending, continuation: continuation))
                        return false
                    }
                    state.leaders += 1
                    return true
                }
                if leadsNow { continuation.resume(returning: .lead) }
            }
        } onCancel: {
            pending.cancel()
        }
        switch turn {
        case .verified(let isSigned): return isSigned
        case .lead: return lead(pending.token)
        case .cancelled: throw CancellationError()
        }
    }

    /// Verifies a group, of which one signature is the leader's own.
    private func lead(_ own: SignedToken) -> Bool {
        let taken = state.withLock { state in
            let count = min(state.waiting.count, SignatureLanes.maximumCount - 1)
            defer { state.waiting.removeFirst(count) }
            return Array(state.waiting.prefix(count))
        }
        var (others, gone) = ([Waiter](), [Waiter]())
        for waiter in taken {
            if waiter.pending.isCancelled { gone.append(waiter) } else { others.append(waiter) }
        }
        let verdicts = accelerator.areSigned([own] + others.map(\.pending.token), with: algorithm)
        for (waiter, verdict) in zip(others, verdicts.dropFirst()) {
            waiter.continuation.resume(returning: .verified(verdict))
        }
        for waiter in gone { waiter.continuation.resume(returning: .cancelled) }
        finish(1 + others.count, isGroup: true)
        return verdicts[0]
    }

    /// A leader is done: those who wait get leaders from among them, no more than there are groups.
    private func finish(_ count: Int, isGroup: Bool) {
        let leaders = state.withLock { state in
            let isBatch = isGroup && count >= breakEven
            state.statistics.count(count, isBatch: isBatch)
            if isGroup { state.patience.gathered(enough: isBatch) }
            state.leaders -= 1
            let groups = (state.waiting.count + SignatureLanes.maximumCount - 1) / SignatureLanes.maximumCount
            let new = min(groups, verifiers - state.leaders)
            guard new > 0 else { return [Waiter]() }
            state.leaders += new
            defer { state.waiting.removeFirst(new) }
            return Array(state.waiting.prefix(new))
        }
        for leader in leaders { leader.continuation.resume(returning: .lead) }
    }
}
