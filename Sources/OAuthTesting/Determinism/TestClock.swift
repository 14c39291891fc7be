// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

/// A clock that stands still until a test moves it: the time of day and the time that passes, in one.
public final class TestClock: WallClock, MonotonicClock {
    private struct State {
        var time: Timestamp
        var elapsed = Duration.zero
    }

    private let state: Mutex<State>

    /// Makes a clock.
    ///
    /// - Parameter seconds: Where it stands, in seconds since 1970; by default some day in 2026.
    public init(secondsSince1970 seconds: Int64 = 1_790_000_000) {
        state = Mutex(State(time: Timestamp(secondsSince1970: seconds)))
    }

    /// The time of day.
    ///
    /// - Returns: What was set last, and what has passed since.
    public func now() -> Timestamp {
        state.withLock { $0.time }
    }

    /// The time that has passed.
    ///
    /// - Returns: The sum of all ``advance(by:)``.
    public func elapsed() -> Duration {
        state.withLock { $0.elapsed }
    }

    /// Lets time pass.
    ///
    /// - Parameter duration: How much, to the millisecond; a negative one is none.
    public func advance(by duration: Duration) {
        let duration = max(duration, .zero)
        state.withLock { state in
            state.time = state.time + duration
            state.elapsed += duration
        }
    }

    /// Sets the time of day, as a person or a time server does; no time passes.
    ///
    /// - Parameter time: Any time, earlier ones too.
    public func set(to time: Timestamp) {
        state.withLock { $0.time = time }
    }
}
