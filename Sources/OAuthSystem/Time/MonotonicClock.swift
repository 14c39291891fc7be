// SPDX-License-Identifier: Apache-2.0

/// Time that passes evenly, as a parameter: a wall clock that is set does not make tokens older or younger.
public protocol MonotonicClock: Sendable {
    /// Reads the clock.
    ///
    /// - Returns: How long it has been since some moment that stays the same; never less than before, sleep included.
    func elapsed() -> Duration
}
