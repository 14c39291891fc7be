// SPDX-License-Identifier: Apache-2.0

/// The clock of the operating system that goes on while the device sleeps.
public struct SystemMonotonicClock: MonotonicClock {
    private static let start = ContinuousClock.now

    /// Makes the clock.
    public init() {}

    /// Reads the clock.
    ///
    /// - Returns: How long it has been since the clock was first read in this process.
    public func elapsed() -> Duration {
        ContinuousClock.now - Self.start
    }
}
