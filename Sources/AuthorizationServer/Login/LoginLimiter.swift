// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// Slows down password guessing: after ten failures, a user name gets one attempt per pause of one, two, four, then
/// always eight minutes.
///
/// NIST SP 800-63B section 5.2.2 requires such a limit. All servers of a database count together.
///
/// After a hundred failures in a row, however slow, the password of the account is no longer tried (NIST SP 800-63B-4
/// section 3.2.2), except in a browser in which the user has signed in before. A sign-in there starts a new row. So
/// does a new password, since the key of the row contains the password hash. The row is forgotten after a year without
/// another failure.
///
/// An attempt counts as a failure from its start until the password proves right, so concurrent attempts cannot bypass
/// the limit. A failure is forgotten after an hour without another one; each costs the server a password hash, which
/// bounds how many are stored. A browser in which the user has signed in before is counted by itself, so guesses from
/// elsewhere neither delay the user there nor lock the user out; after ten failures it is counted with all others,
/// until a password proves right.
struct LoginLimiter: Sendable {
    /// The key under which failures are counted.
    struct Key: Hashable {
        fileprivate let username: String
        /// The browser or key with which the user has signed in before; `nil` for everywhere else.
        fileprivate let device: String?
        /// The key under which failures in a row are counted.
        fileprivate let row: AttemptKey
        /// Whether the attempt is one of the row.
        fileprivate var isInRow = false

        fileprivate var stored: AttemptKey {
            device.map { AttemptKey("password", username, $0) } ?? AttemptKey("password", username)
        }
    }

    /// Whether an attempt may be made.
    enum Admission: Equatable {
        /// It counts under the key.
        case counted(Key)
        /// It counts under the key, and fails whatever the password is, since too many have failed in a row.
        case refused(Key)
        /// How long it must wait.
        case wait(Duration)
    }

    private static let freeFailures = 10
    private static let memory: Duration = .seconds(3600)
    /// NIST SP 800-63B-4 section 3.2.2: no more failures in a row than this.
    private static let maximumInARow = 100
    private static let memoryOfRow: Duration = .seconds(366 * 86_400)

    let store: any AttemptStore

    /// Starts an attempt.
    ///
    /// - Parameters:
    ///   - username: The user name.
    ///   - account: The account with the name; `nil` if there is none, for which the work is the same.
    ///   - device: The browser or key, if it proved that the user signed in with it before.
    ///   - now: The time.
    /// - Returns: Whether the attempt may proceed now.
    /// - Throws: An error of the storage.
    func begin(
        for username: String,
        of account: UserAccount?,
        in device: String? = nil,
        at now: Timestamp
    ) async throws -> Admission {
        let row = Self.row(of: account, named: username)
        // Rows of unknown names are not kept for long, since anyone can make up names.
        let memoryOfRow = account == nil ? Self.memory : Self.memoryOfRow
        let everywhere = Key(username: username, device: nil, row: row)
        let keys = (device.map { [Key(username: username, device: $0, row: row)] } ?? []) + [everywhere]
        return try await store.changeAttempts(of: keys.map(\.stored) + [row], at: now) { states in
            let isUsedUp = keys.count > 1 && (states[0]?.count ?? 0) >= Self.freeFailures
            let index = isUsedUp ? 1 : 0
            if let wait = Self.wait(after: states[index], at: now) { return .wait(wait) }
            let count = (states[index]?.count ?? 0) + 1
            states[index] = AttemptState(count: count, time: now, expiresAt: now + Self.memory)
            var key = keys[index]
            guard key.device == nil else { return .counted(key) }
            let failures = states[keys.count]?.count ?? 0
            guard failures < Self.maximumInARow else { return .refused(key) }
            states[keys.count] = AttemptState(count: failures + 1, time: now, expiresAt: now + memoryOfRow)
            key.isInRow = true
            return .counted(key)
        }
    }

    /// The key of the failures in a row: the account and its password hash, so that a new password starts a new row.
    private static func row(of account: UserAccount?, named username: String) -> AttemptKey {
        guard let account else { return AttemptKey("passwords in a row", username) }
        return AttemptKey("passwords in a row", account.subject, account.passwordHash.encoded)
    }

    /// The password was right: clears the failures, and those in a row.
    ///
    /// - Parameters:
    ///   - key: The key under which the attempt was counted.
    ///   - device: The browser or key, if it proved that the user signed in with it before.
    ///   - now: The time.
    /// - Throws: An error of the storage.
    func succeed(_ key: Key, in device: String? = nil, at now: Timestamp) async throws {
        let own = device.map { Key(username: key.username, device: $0, row: key.row) }
        let keys = Set([key.stored, (own ?? key).stored, key.row])
        try await store.changeAttempts(of: Array(keys), at: now) { states in
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
        try await store.changeAttempts(of: [key.stored] + (key.isInRow ? [key.row] : []), at: now) { states in
            for index in states.indices {
                guard let known = states[index] else { continue }
                states[index]?.count -= 1
                if known.count <= 1 { states[index] = nil }
            }
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
