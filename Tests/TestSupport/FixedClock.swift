// SPDX-License-Identifier: Apache-2.0

import JOSE
public import OAuthSystem
import Synchronization

/// A clock that only a test moves.
public final class FixedClock: WallClock {
    private let time: Mutex<Timestamp>

    /// Makes a clock.
    ///
    /// - Parameter seconds: The start time, in seconds since 1970; by default a day in 2026.
    public init(secondsSince1970 seconds: Int64 = 1_790_000_000) {
        time = Mutex(Timestamp(secondsSince1970: seconds))
    }

    /// The time that was last set.
    public func now() -> Timestamp {
        time.withLock { $0 }
    }

    /// Sets the time.
    ///
    /// - Parameter time: Any time, including earlier ones.
    public func set(to time: Timestamp) {
        self.time.withLock { $0 = time }
    }

    /// Moves the time.
    ///
    /// - Parameter duration: How far; negative to move the clock back.
    public func advance(by duration: Duration) {
        time.withLock { $0 = $0 + duration }
    }
}
