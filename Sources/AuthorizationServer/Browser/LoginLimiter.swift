// SPDX-License-Identifier: Apache-2.0

import JOSE
import Synchronization

/// Slows down guessing of passwords: after ten failures for a user name, one attempt a minute.
///
/// NIST SP 800-63B section 5.2.2 demands a limit of that kind.
/// An attempt counts as a failure from its begin until it turns out to be none, so that attempts at the same time do not
/// pass together. In memory and bounded. It never locks an account for good, since that would let anybody lock anybody out.
final class LoginLimiter: Sendable {
    private struct Failures {
        var count: Int
        var last: Timestamp
    }

    private static let freeFailures = 10
    private static let pause: Duration = .seconds(60)
    private static let memory: Duration = .seconds(900)

    private let maximumNames: Int
    private let failures = Mutex<[String: Failures]>([:])

    init(maximumNames: Int = 100_000) {
        self.maximumNames = maximumNames
    }

    /// How many names are remembered.
    var count: Int { failures.withLock { $0.count } }

    /// Begins an attempt.
    ///
    /// - Returns: How long the attempt has to wait instead; `nil` when it may be made now.
    func begin(for username: String, at now: Timestamp) -> Duration? {
        failures.withLock { failures in
            if failures.count >= maximumNames { makeRoom(in: &failures, at: now) }
            var known = failures[username] ?? Failures(count: 0, last: now)
            // A clock that was set back makes nobody wait for it.
            let elapsed = max(.zero, now - known.last)
            if elapsed >= Self.memory { known.count = 0 }
            guard known.count < Self.freeFailures || elapsed >= Self.pause else { return Self.pause - elapsed }
            failures[username] = Failures(count: known.count + 1, last: now)
            return nil
        }
    }

    /// Forgets what matters least, until at least half of the room is free, so that this is seldom done.
    ///
    /// To get here, somebody has had a hundred thousand passwords hashed; the few guesses it frees are not worth that.
    private func makeRoom(in failures: inout [String: Failures], at now: Timestamp) {
        failures = failures.filter { now - $0.value.last < Self.memory }
        guard failures.count > maximumNames / 2 else { return }
        failures = failures.filter { $0.value.count >= Self.freeFailures }
        if failures.count > maximumNames / 2 { failures.removeAll() }
    }

    /// The password was right: what was counted is forgotten.
    func succeed(for username: String) {
        failures.withLock { $0[username] = nil }
    }

    /// The password was not looked at: the attempt does not count.
    func takeBack(for username: String) {
        failures.withLock { failures in
            guard let known = failures[username] else { return }
            failures[username] = known.count > 1 ? Failures(count: known.count - 1, last: known.last) : nil
        }
    }
}
