// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import Synchronization

/// Slows down password guessing: after ten failures, a user name gets one attempt per pause of one, two, four, then
/// always eight minutes.
///
/// NIST SP 800-63B section 5.2.2 requires such a limit.
///
/// An attempt counts as a failure from its start until the password proves right, so concurrent attempts cannot bypass
/// the limit. The state is in memory and bounded. An account is never locked permanently, since an attacker could then
/// lock out any user. A browser in which the user has signed in before is counted by itself, so guesses from elsewhere do
/// not make the user wait there; after ten failures it counts with all others, until a password proves right.
final class LoginLimiter: Sendable {
    /// The key under which failures are counted.
    struct Key: Hashable {
        fileprivate let username: String
        /// The browser or key with which the user has signed in before; `nil` for everywhere else.
        fileprivate let device: String?
    }

    /// Whether an attempt may be made.
    enum Admission: Equatable {
        /// It counts under the key.
        case counted(Key)
        /// How long it must wait.
        case wait(Duration)
    }

    private struct Failures {
        var count: Int
        var last: Timestamp
    }

    private static let freeFailures = 10
    private static let memory: Duration = .seconds(3600)

    private let maximumNames: Int
    private let failures = Mutex<[Key: Failures]>([:])

    init(maximumNames: Int = 100_000) {
        self.maximumNames = maximumNames
    }

    /// The number of names with failures.
    var count: Int { failures.withLock { $0.count } }

    /// Starts an attempt.
    ///
    /// - Parameters:
    ///   - username: The user name.
    ///   - device: The browser or key, if it proved that the user signed in with it before.
    ///   - now: The time.
    /// - Returns: Whether the attempt may proceed now.
    func begin(for username: String, in device: String? = nil, at now: Timestamp) -> Admission {
        failures.withLock { failures in
            if failures.count >= maximumNames { makeRoom(in: &failures, at: now) }
            let own = Key(username: username, device: device)
            let isUsedUp = device != nil && Self.current(own, failures, at: now).count >= Self.freeFailures
            let key = isUsedUp ? Key(username: username, device: nil) : own
            let known = Self.current(key, failures, at: now)
            let pause = Self.pause(after: known.count)
            // If the clock was set back, the attempt does not wait for it to catch up.
            let elapsed = max(.zero, now - known.last)
            guard elapsed >= pause else { return .wait(pause - elapsed) }
            failures[key] = Failures(count: known.count + 1, last: now)
            return .counted(key)
        }
    }

    /// The password was right: clears the failures.
    ///
    /// - Parameters:
    ///   - key: The key under which the attempt was counted.
    ///   - device: The browser or key, if it proved that the user signed in with it before.
    func succeed(_ key: Key, in device: String? = nil) {
        failures.withLock { failures in
            failures[key] = nil
            if let device { failures[Key(username: key.username, device: device)] = nil }
        }
    }

    /// The password was not checked: the attempt does not count.
    ///
    /// - Parameter key: The key under which it was counted.
    func takeBack(_ key: Key) {
        failures.withLock { failures in
            guard let known = failures[key] else { return }
            failures[key] = known.count > 1 ? Failures(count: known.count - 1, last: known.last) : nil
        }
    }

    /// The failures that still count.
    private static func current(_ key: Key, _ failures: [Key: Failures], at now: Timestamp) -> Failures {
        let known = failures[key] ?? Failures(count: 0, last: now)
        return now - known.last >= memory ? Failures(count: 0, last: known.last) : known
    }

    private static func pause(after failures: Int) -> Duration {
        guard failures >= freeFailures else { return .zero }
        return .seconds(60 << min(failures - freeFailures, 3))
    }

    /// Evicts the least important entries until at least half of the space is free, so that this happens seldom.
    ///
    /// To fill the table, an attacker has had a hundred thousand passwords hashed; the few extra guesses are not worth
    /// that.
    private func makeRoom(in failures: inout [Key: Failures], at now: Timestamp) {
        failures = failures.filter { now - $0.value.last < Self.memory }
        guard failures.count > maximumNames / 2 else { return }
        failures = failures.filter { $0.value.count >= Self.freeFailures }
        if failures.count > maximumNames / 2 { failures.removeAll() }
    }
}
