// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import Synchronization

/// Slows down password guessing: after ten failures, a user name gets one attempt per pause of one, two, four, then
/// always eight minutes.
///
/// NIST SP 800-63B section 5.2.2 requires such a limit.
///
/// An attempt counts as a failure from its start until the password proves right, so concurrent attempts cannot bypass
/// the limit. The state is in memory and bounded. An account is never locked permanently, since an attacker could then
/// lock out any user. Addresses from which the user has signed in before are counted separately, so guesses from
/// elsewhere do not lock the user out there.
final class LoginLimiter: Sendable {
    /// The key under which failures are counted.
    private struct Key: Hashable {
        let username: String
        /// An address from which the user has signed in before; `nil` for all other addresses together.
        let subscriber: IPAddress?
    }

    private struct Failures {
        var count: Int
        var last: Timestamp
    }

    private struct State {
        var failures: [Key: Failures] = [:]
        /// Where users have signed in before.
        var known: Set<Key> = []
    }

    private static let freeFailures = 10
    private static let memory: Duration = .seconds(3600)

    private let maximumNames: Int
    private let state = Mutex(State())

    init(maximumNames: Int = 100_000) {
        self.maximumNames = maximumNames
    }

    /// The number of names with failures.
    var count: Int { state.withLock { $0.failures.count } }

    /// Starts an attempt.
    ///
    /// - Returns: How long the attempt must wait; `nil` if it may proceed now.
    func begin(for username: String, from address: IPAddress? = nil, at now: Timestamp) -> Duration? {
        state.withLock { state in
            let key = Self.key(username, address, in: state)
            if state.failures.count >= maximumNames { makeRoom(in: &state.failures, at: now) }
            var known = state.failures[key] ?? Failures(count: 0, last: now)
            // If the clock was set back, the attempt does not wait for it to catch up.
            let elapsed = max(.zero, now - known.last)
            if elapsed >= Self.memory { known.count = 0 }
            let pause = Self.pause(after: known.count)
            guard elapsed >= pause else { return pause - elapsed }
            state.failures[key] = Failures(count: known.count + 1, last: now)
            return nil
        }
    }

    /// The password was right: clears the failures and remembers the address.
    func succeed(for username: String, from address: IPAddress? = nil) {
        state.withLock { state in
            state.failures[Self.key(username, address, in: state)] = nil
            guard let address else { return }
            // Forgetting known addresses costs users only a convenience; their next login restores it.
            if state.known.count >= maximumNames { state.known.removeAll() }
            state.known.insert(Key(username: username, subscriber: address.subscriber))
        }
    }

    /// The password was not checked: the attempt does not count.
    func takeBack(for username: String, from address: IPAddress? = nil) {
        state.withLock { state in
            let key = Self.key(username, address, in: state)
            guard let known = state.failures[key] else { return }
            state.failures[key] = known.count > 1 ? Failures(count: known.count - 1, last: known.last) : nil
        }
    }

    private static func key(_ username: String, _ address: IPAddress?, in state: State) -> Key {
        let own = Key(username: username, subscriber: address?.subscriber)
        return state.known.contains(own) ? own : Key(username: username, subscriber: nil)
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
