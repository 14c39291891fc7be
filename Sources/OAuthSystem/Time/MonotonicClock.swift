// SPDX-License-Identifier: Apache-2.0

/// A monotonic clock, passed as a parameter: setting the wall clock does not change the age of tokens.
public protocol MonotonicClock: Sendable {
    /// Reads the clock.
    ///
    /// - Returns: The time since a fixed moment, including sleep. It never decreases.
    func elapsed() -> Duration
}
