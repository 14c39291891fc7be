// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock that moves only when a task sleeps on it, which takes no real time.
public final class SleepingClock: Clock {
    /// A moment of this clock.
    public struct Instant: InstantProtocol {
        /// The time since the start of the clock.
        public var offset = Duration.zero

        /// A later moment.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// The duration to another instant.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Whether one instant precedes another.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant()
        var sleeps: [Duration] = []
    }

    private let state = Mutex(State())

    /// Makes a clock at zero.
    public init() {}

    /// The current instant.
    public var now: Instant { state.withLock { $0.now } }
    /// Zero: any duration can be represented.
    public var minimumResolution: Duration { .zero }
    /// The durations of all sleeps, in order.
    public var sleeps: [Duration] { state.withLock { $0.sleeps } }

    /// Moves the clock to the deadline.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.sleeps.append(state.now.duration(to: deadline))
            state.now = max(state.now, deadline)
        }
    }
}
