// SPDX-License-Identifier: Apache-2.0

/// What time it is, as a parameter: nothing in the core reads a clock by itself.
public protocol WallClock: Sendable {
    /// Reads the clock.
    ///
    /// - Returns: The time now; it may step back.
    func now() -> Timestamp
}
