// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// Changes what is known about some keys; see ``AttemptStore/changeAttempts(of:at:by:)``.
    ///
    /// - Parameters:
    ///   - keys: One to eight different keys.
    ///   - now: The time.
    ///   - rule: Reads and changes the states.
    /// - Returns: What the rule returned.
    public func changeAttempts<Outcome: Sendable>(
        of keys: [AttemptKey],
        at now: Timestamp,
        by rule: @escaping @Sendable (_ states: inout [AttemptState?]) -> Outcome
    ) -> Outcome {
        tables.withLock { tables in
            var states = keys.map { key in tables.attempts[key].flatMap { $0.expiresAt > now ? $0 : nil } }
            let outcome = rule(&states)
            for (key, state) in zip(keys, states) { tables.attempts[key] = state }
            return outcome
        }
    }
}
