// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A store for what may be guesses: wrong passwords and user codes, counted over all servers of a database.
///
/// If each server counted for itself, whoever guesses would have as many tries as there are servers (NIST SP 800-63B
/// section 5.2.2, RFC 8628 section 5.1).
public protocol AttemptStore: Sendable {
    /// Changes what is known about some keys, in one step.
    ///
    /// A call that is sent again after a lost connection may count twice; that is the safe side.
    ///
    /// - Parameters:
    ///   - keys: One to eight different keys.
    ///   - now: The time; states that have expired by then are gone.
    ///   - rule: Reads and changes the states, in the order of the keys; `nil` for none. It may be called more than
    ///     once, so it must depend on nothing but the states.
    /// - Returns: What the rule returned.
    /// - Throws: An error of the driver; then nothing has changed.
    func changeAttempts<Outcome: Sendable>(
        of keys: [AttemptKey],
        at now: Timestamp,
        by rule: @escaping @Sendable (_ states: inout [AttemptState?]) -> Outcome
    ) async throws -> Outcome
}
