// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Limits the step-ups of a session.
final class StepUpLimits: Sendable {
    private struct Kind: Hashable {
        let origin: String
        let missing: Set<String>
    }

    private let limits = Mutex<[Kind: BrowserLimit]>([:])

    /// Counts a step-up that is about to begin; returns whether it may.
    func mayBegin(_ need: StepUpNeed, at now: Duration) -> Bool {
        let kind = Kind(origin: need.origin, missing: Set(need.missing))
        return limits.withLock { limits in
            var limit = limits[kind] ?? BrowserLimit()
            guard limit.allowsAnother(at: now) else { return false }
            limit.count(at: now)
            limits = limits.filter { !$0.value.isOver(at: now) }
            limits[kind] = limit
            return true
        }
    }
}
