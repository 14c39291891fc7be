// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import OAuthSystem
import Synchronization

/// A monotonic clock that only a test advances.
final class FixedElapsedTime: MonotonicClock {
    private let time = Mutex(Duration.zero)

    func elapsed() -> Duration {
        time.withLock { $0 }
    }

    func advance(by duration: Duration) {
        time.withLock { $0 += duration }
    }
}
