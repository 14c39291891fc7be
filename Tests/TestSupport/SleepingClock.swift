// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock that moves only by the sleep of its sleepers, which takes no time.
public final class SleepingClock: Clock {
    /// A moment of this clock.
    public struct Instant: InstantProtocol {
        /// How long it has run.
        public var offset = Duration.zero

        /// A later moment.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// How long it is to another moment.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Whether one moment comes first.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant()
        var sleeps: [Duration] = []
    }

    private let state = Mutex(State())

    /// Makes a clock that stands at zero.
    public init() {}

    /// Where the clock stands.
    public var now: Instant { state.withLock { $0.now } }
    /// Nothing is too short.
    public var minimumResolution: Duration { .zero }
    /// How long each sleep was, in order.
    public var sleeps: [Duration] { state.withLock { $0.sleeps } }

    /// Moves the clock.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.sleeps.append(state.now.duration(to: deadline))
            state.now = max(state.now, deadline)
        }
    }
}
