// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// Slows down password guessing: after ten failures, a user name gets one attempt per pause of one, two, four, then
/// always eight minutes.
///
/// NIST SP 800-63B section 5.2.2 requires such a limit. All servers of a database count together.
///
/// An attempt counts as a failure from its start until the password proves right, so concurrent attempts cannot bypass
/// the limit. A failure is forgotten after an hour without another one; each costs the server a password hash, which
/// bounds how many are stored. An account is never locked permanently, since an attacker could then lock out any user. A
/// browser in which the user has signed in before is counted by itself, so guesses from elsewhere do not make the user
/// wait there; after ten failures it counts with all others, until a password proves right.
struct LoginLimiter: Sendable {
    /// The key under which failures are counted.
    struct Key: Hashable {
        fileprivate let username: String
        /// The browser or key with which the user has signed in before; `nil` for everywhere else.
        fileprivate let device: String?

        fileprivate var stored: AttemptKey {
            device.map { AttemptKey("password", username, $0) } ?? AttemptKey("password", username)
        }
    }

    /// Whether an attempt may be made.
    enum Admission: Equatable {
        /// It counts under the key.
        case counted(Key)
        /// How long it must wait.
        case wait(Duration)
    }

    private static let freeFailures = 10
    private static let memory: Duration = .seconds(3600)

    let store: any AttemptStore

    /// Starts an attempt.
    ///
    /// - Parameters:
    ///   - username: The user name.
    ///   - device: The browser or key, if it proved that the user signed in with it before.
    ///   - now: The time.
    /// - Returns: Whether the attempt may proceed now.
    /// - Throws: An error of the storage.
    func begin(for username: String, in device: String? = nil, at now: Timestamp) async throws -> Admission {
        let everywhere = Key(username: username, device: nil)
        let keys = (device.map { [Key(username: username, device: $0)] } ?? []) + [everywhere]
        return try await store.changeAttempts(of: keys.map(\.stored), at: now) { states in
            let isUsedUp = keys.count > 1 && (states[0]?.count ?? 0) >= Self.freeFailures
            let index = isUsedUp ? 1 : 0
            if let wait = Self.wait(after: states[index], at: now) { return .wait(wait) }
            let count = (states[index]?.count ?? 0) + 1
            states[index] = AttemptState(count: count, time: now, expiresAt: now + Self.memory)
            return .counted(keys[index])
        }
    }

    /// The password was right: clears the failures.
    ///
    /// - Parameters:
    ///   - key: The key under which the attempt was counted.
    ///   - device: The browser or key, if it proved that the user signed in with it before.
    ///   - now: The time.
    /// - Throws: An error of the storage.
    func succeed(_ key: Key, in device: String? = nil, at now: Timestamp) async throws {
        let own = device.map { Key(username: key.username, device: $0) }
        let keys = Set([key, own ?? key])
        try await store.changeAttempts(of: keys.map(\.stored), at: now) { states in
            for index in states.indices { states[index] = nil }
        }
    }

    /// The password was not checked: the attempt does not count.
    ///
    /// - Parameters:
    ///   - key: The key under which it was counted.
    ///   - now: The time.
    /// - Throws: An error of the storage.
    func takeBack(_ key: Key, at now: Timestamp) async throws {
        try await store.changeAttempts(of: [key.stored], at: now) { states in
            guard let known = states[0] else { return }
            states[0]?.count -= 1
            if known.count <= 1 { states[0] = nil }
        }
    }

    /// How long the next attempt has to wait.
    private static func wait(after known: AttemptState?, at now: Timestamp) -> Duration? {
        guard let known, known.count >= freeFailures else { return nil }
        let pause: Duration = .seconds(60 << min(known.count - freeFailures, 3))
        // If the clock was set back, the attempt does not wait for it to catch up.
        let elapsed = max(.zero, now - known.time)
        return elapsed < pause ? pause - elapsed : nil
    }
}
