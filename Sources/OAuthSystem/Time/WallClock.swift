// SPDX-License-Identifier: Apache-2.0

/// A wall clock, passed as a parameter: the core never reads a clock by itself.
public protocol WallClock: Sendable {
    /// Reads the clock.
    ///
    /// - Returns: The current time. It may step back.
    func now() -> Timestamp
}
