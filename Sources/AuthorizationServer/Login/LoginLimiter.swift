// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import Synchronization

/// Slows down guessing of passwords: after ten failures for a user name one attempt, after pauses of one, two, four and
/// then always eight minutes.
///
/// NIST SP 800-63B section 5.2.2 demands a limit of that kind.
/// An attempt counts as a failure from its begin until it turns out to be none, so that attempts at the same time do not
/// pass together. In memory and bounded. It never locks an account for good, since that would let anybody lock anybody out;
/// and where a person has signed in before, failures count apart, so guesses from elsewhere keep nobody out of there.
final class LoginLimiter: Sendable {
    /// What failures are counted by.
    private struct Key: Hashable {
        let username: String
        /// Where the person has signed in before; `nil` for everywhere else together.
        let subscriber: IPAddress?
    }

    private struct Failures {
        var count: Int
        var last: Timestamp
    }

    private struct State {
        var failures: [Key: Failures] = [:]
        /// Where people have signed in.
        var known: Set<Key> = []
    }

    private static let freeFailures = 10
    private static let memory: Duration = .seconds(3600)

    private let maximumNames: Int
    private let state = Mutex(State())

    init(maximumNames: Int = 100_000) {
        self.maximumNames = maximumNames
    }

    /// How many names are remembered.
    var count: Int { state.withLock { $0.failures.count } }

    /// Begins an attempt.
    ///
    /// - Returns: How long the attempt has to wait instead; `nil` when it may be made now.
    func begin(for username: String, from address: IPAddress? = nil, at now: Timestamp) -> Duration? {
        state.withLock { state in
            let key = Self.key(username, address, in: state)
            if state.failures.count >= maximumNames { makeRoom(in: &state.failures, at: now) }
            var known = state.failures[key] ?? Failures(count: 0, last: now)
            // A clock that was set back makes nobody wait for it.
            let elapsed = max(.zero, now - known.last)
            if elapsed >= Self.memory { known.count = 0 }
            let pause = Self.pause(after: known.count)
            guard elapsed >= pause else { return pause - elapsed }
            state.failures[key] = Failures(count: known.count + 1, last: now)
            return nil
        }
    }

    /// The password was right: what was counted is forgotten, and the place remembered.
    func succeed(for username: String, from address: IPAddress? = nil) {
        state.withLock { state in
            state.failures[Self.key(username, address, in: state)] = nil
            guard let address else { return }
            // Whoever is forgotten loses a convenience; the next login brings it back.
            if state.known.count >= maximumNames { state.known.removeAll() }
            state.known.insert(Key(username: username, subscriber: address.subscriber))
        }
    }

    /// The password was not looked at: the attempt does not count.
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

    /// Forgets what matters least, until at least half of the room is free, so that this is seldom done.
    ///
    /// To get here, somebody has had a hundred thousand passwords hashed; the few guesses it frees are not worth that.
    private func makeRoom(in failures: inout [Key: Failures], at now: Timestamp) {
        failures = failures.filter { now - $0.value.last < Self.memory }
        guard failures.count > maximumNames / 2 else { return }
        failures = failures.filter { $0.value.count >= Self.freeFailures }
        if failures.count > maximumNames / 2 { failures.removeAll() }
    }
}
