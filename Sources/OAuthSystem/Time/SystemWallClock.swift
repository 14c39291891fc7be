// SPDX-License-Identifier: Apache-2.0

/// The clock of the operating system.
public struct SystemWallClock: WallClock {
    /// Creates the clock.
    public init() {}

    /// Reads the clock.
    ///
    /// - Returns: The current time, to the millisecond.
    public func now() -> Timestamp {
        Timestamp(millisecondsSince1970: SystemTime.millisecondsSince1970())
    }
}
