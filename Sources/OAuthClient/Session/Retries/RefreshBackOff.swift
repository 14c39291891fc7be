// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// The wait after failed refreshes: 1, 2, 4 … 60 seconds, each shortened at random so that many devices spread their
/// requests.
struct RefreshBackOff: Sendable, Hashable {
    static let longest = Duration.seconds(60)

    /// The number of failures in a row.
    let failures: Int
    /// Before this time no process sends a refresh, unless the user asks for it.
    let until: Timestamp

    /// The wait after one failure more.
    static func next(after earlier: RefreshBackOff?, at now: Timestamp, _ fraction: Fraction) -> RefreshBackOff {
        let failures = earlier?.failures ?? 0
        let wait = wait(afterEarlier: failures, fraction)
        // Stored in whole seconds, and never longer than the process waits that failed.
        return RefreshBackOff(failures: min(failures + 1, 64), until: now + .seconds(wait.components.seconds))
    }

    /// The wait after a failure that others came before.
    static func wait(afterEarlier failures: Int, _ fraction: Fraction) -> Duration {
        let seconds = min(Int64(1) << min(failures, 6), longest.components.seconds)
        return .milliseconds(seconds * 1000 * fraction.parts / 65_536)
    }

    /// What is left of a wait.
    struct Fraction: Sendable {
        /// From 1 to 65536, of 65536 parts.
        fileprivate let parts: Int64

        /// Draws one at random.
        init(_ entropy: any Entropy) {
            parts = entropy.bytes(2).reduce(Int64(0)) { $0 << 8 | Int64($1) } + 1
        }
    }
}
