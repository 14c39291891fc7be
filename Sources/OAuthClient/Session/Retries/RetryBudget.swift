// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Limits how many calls of a client are sent again, so that an API that is down gets few requests more than it would.
final class RetryBudget: Sendable {
    private static let perCall = 0.1
    private static let reserve = 10.0

    private let left = Mutex(reserve)

    /// Counts a call, which is sent for the first time.
    func countCall() {
        left.withLock { $0 = min($0 + Self.perCall, Self.reserve) }
    }

    /// Takes one repetition.
    ///
    /// - Returns: `false` if none is left.
    func take() -> Bool {
        left.withLock { left in
            guard left >= 1 else { return false }
            left -= 1
            return true
        }
    }
}
