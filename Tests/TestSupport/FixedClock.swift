// SPDX-License-Identifier: Apache-2.0

import JOSE
public import OAuthSystem
import Synchronization

/// A clock that stands still until a test moves it.
public final class FixedClock: WallClock {
    private let time: Mutex<Timestamp>

    /// Makes a clock.
    ///
    /// - Parameter seconds: Where it stands, in seconds since 1970; by default some day in 2026.
    public init(secondsSince1970 seconds: Int64 = 1_790_000_000) {
        time = Mutex(Timestamp(secondsSince1970: seconds))
    }

    /// The time that was set last.
    public func now() -> Timestamp {
        time.withLock { $0 }
    }

    /// Sets the time.
    ///
    /// - Parameter time: Any time, earlier ones too.
    public func set(to time: Timestamp) {
        self.time.withLock { $0 = time }
    }

    /// Moves the time.
    ///
    /// - Parameter duration: How far; negative for a clock that steps back.
    public func advance(by duration: Duration) {
        time.withLock { $0 = $0 + duration }
    }
}
