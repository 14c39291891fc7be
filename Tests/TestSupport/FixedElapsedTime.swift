// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

/// A monotonic clock that only a test advances.
public final class FixedElapsedTime: MonotonicClock {
    private let time = Mutex(Duration.zero)

    /// Makes a clock at zero.
    public init() {}

    /// The time that the test has let pass.
    public func elapsed() -> Duration {
        time.withLock { $0 }
    }

    /// Lets time pass.
    ///
    /// - Parameter duration: How much.
    public func advance(by duration: Duration) {
        time.withLock { $0 += duration }
    }
}
