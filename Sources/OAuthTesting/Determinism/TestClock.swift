// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

/// A clock that only a test moves: wall clock and monotonic clock in one.
public final class TestClock: WallClock, MonotonicClock {
    private struct State {
        var time: Timestamp
        var elapsed = Duration.zero
    }

    private let state: Mutex<State>

    /// Makes a clock.
    ///
    /// - Parameter seconds: The start time, in seconds since 1970; by default a day in 2026.
    public init(secondsSince1970 seconds: Int64 = 1_790_000_000) {
        state = Mutex(State(time: Timestamp(secondsSince1970: seconds)))
    }

    /// The time of day.
    ///
    /// - Returns: The time that was last set, plus the time that has passed since.
    public func now() -> Timestamp {
        state.withLock { $0.time }
    }

    /// The time that has passed.
    ///
    /// - Returns: The sum of all ``advance(by:)``.
    public func elapsed() -> Duration {
        state.withLock { $0.elapsed }
    }

    /// Advances the clock.
    ///
    /// - Parameter duration: How far, to the millisecond; a negative duration counts as zero.
    public func advance(by duration: Duration) {
        let duration = max(duration, .zero)
        state.withLock { state in
            state.time = state.time + duration
            state.elapsed += duration
        }
    }

    /// Sets the wall clock, as a user or a time server does; no time passes.
    ///
    /// - Parameter time: Any time, including earlier ones.
    public func set(to time: Timestamp) {
        state.withLock { $0.time = time }
    }
}
