// SPDX-License-Identifier: Apache-2.0

/// Lets a client wait on a ``TestClock``: a wait moves that clock, and takes no time of the test.
struct WaitlessClock: Clock {
    struct Instant: InstantProtocol {
        let elapsed: Duration

        func advanced(by duration: Duration) -> Instant { Instant(elapsed: elapsed + duration) }
        func duration(to other: Instant) -> Duration { other.elapsed - elapsed }
        static func < (left: Instant, right: Instant) -> Bool { left.elapsed < right.elapsed }
    }

    let clock: TestClock

    var now: Instant { Instant(elapsed: clock.elapsed()) }
    var minimumResolution: Duration { .milliseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        clock.advance(by: now.duration(to: deadline))
    }
}
