// SPDX-License-Identifier: Apache-2.0

/// The monotonic clock of the operating system, which continues while the device sleeps.
public struct SystemMonotonicClock: MonotonicClock {
    private static let start = ContinuousClock.now

    /// Creates the clock.
    public init() {}

    /// Reads the clock.
    ///
    /// - Returns: The time since this process first read the clock.
    public func elapsed() -> Duration {
        ContinuousClock.now - Self.start
    }
}
