// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// Slows down password guessing: after ten failures, a user name gets one attempt per pause of one, two, four, then
/// always eight minutes.
///
/// NIST SP 800-63B section 5.2.2 requires such a limit. All servers of a database count together.
///
/// After a hundred failures in a row, however slow, the password of the account is no longer tried (NIST SP 800-63B-4
/// section 3.2.2), except in a browser in which the user has signed in before. There a hundred more may fail, in a row
/// of their own, so that a thief of its cookie cannot guess for ever. A sign-in there ends both rows. A row is forgotten
/// after a year without another failure.
///
/// A new password ends rows and pauses, since their keys contain the password hash.
///
/// An attempt counts as a failure from its start until the password proves right, so concurrent attempts cannot bypass
/// the limit. A failure is forgotten after an hour without another one; each costs the server a password hash, which
/// bounds how many are stored. A browser in which the user has signed in before is counted by itself, so guesses from
/// elsewhere neither delay the user there nor lock the user out; after ten failures within an hour, or a hundred in a
/// row, it is counted with all others, until a password proves right.
struct LoginLimiter: Sendable {
    /// The key under which failures are counted.
    struct Key: Hashable {
        fileprivate let username: String
        /// The browser or key with which the user has signed in before; `nil` for everywhere else.
        fileprivate let device: String?
        /// Whose password it is; `nil` for a name that nobody has.
        fileprivate let owner: Owner?
        /// Whether the attempt is one of the row.
        fileprivate var isInRow = false

        /// The key under which failures are counted.
        ///
        /// That of an account contains its password hash, so a new password ends the pause, and a new account does not
        /// inherit that of a former one with its name.
        fileprivate var stored: AttemptKey {
            let name = "password"
            guard let owner else { return AttemptKey(name, username, device ?? "") }
            guard let device else { return AttemptKey(name, owner.subject, owner.passwordHash) }
            return AttemptKey(name, owner.subject, owner.passwordHash, device)
        }

        /// The key under which failures in a row are counted.
        fileprivate var row: AttemptKey {
            let name = "passwords in a row"
            guard let owner else { return AttemptKey(name, username, device ?? "") }
            guard let device else { return AttemptKey(name, owner.subject, owner.passwordHash) }
            return AttemptKey(name, owner.subject, owner.passwordHash, device)
        }

        /// The same in another device, or everywhere else.
        fileprivate func counted(in device: String?) -> Key {
            Key(username: username, device: device, owner: owner)
        }
    }

    /// An account and its password, so that a new password starts a new row.
    fileprivate struct Owner: Hashable {
        let subject: String
        let passwordHash: String
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
    /// How far apart the clocks of two servers may be: guesses at both in turn must not shorten the pauses.
    ///
    /// One that differs by a minute from the clock of the database is not ready, so two differ by two minutes at most.
    private static let clockDifference: Duration = .seconds(180)

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
        // Rows of unknown names are not kept for long, since anyone can make up names.
        let memoryOfRow = account == nil ? Self.memory : Self.memoryOfRow
        let owner = account.map { Owner(subject: $0.subject, passwordHash: $0.passwordHash.encoded) }
        let everywhere = Key(username: username, device: nil, owner: owner)
        let keys = (device.map { [everywhere.counted(in: $0)] } ?? []) + [everywhere]
        return try await store.changeAttempts(of: keys.map(\.stored) + keys.map(\.row), at: now) { states in
            let failures = states.map { $0?.count ?? 0 }
            let isUsedUp =
                keys.count > 1 && (failures[0] >= Self.freeFailures || failures[keys.count] >= Self.maximumInARow)
            let index = isUsedUp ? 1 : 0
            if let wait = Self.wait(after: &states[index], at: now) { return .wait(wait) }
            states[index] = AttemptState(count: failures[index] + 1, time: now, expiresAt: now + Self.memory)
            var key = keys[index]
            let row = keys.count + index
            guard failures[row] < Self.maximumInARow else { return .refused(key) }
            states[row] = AttemptState(count: failures[row] + 1, time: now, expiresAt: now + memoryOfRow)
            key.isInRow = true
            return .counted(key)
        }
    }

    /// The password was right: clears the failures, and those in a row, everywhere and in this device.
    ///
    /// - Parameters:
    ///   - key: The key under which the attempt was counted.
    ///   - device: The browser or key, if it proved that the user signed in with it before.
    ///   - now: The time.
    /// - Throws: An error of the storage.
    func succeed(_ key: Key, in device: String? = nil, at now: Timestamp) async throws {
        let (own, everywhere) = (key.counted(in: device), key.counted(in: nil))
        let keys = Set([key.stored, own.stored, own.row, everywhere.row])
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
    ///
    /// If the clock was set back, the pause starts now: the attempt does not wait for the clock to catch up, and the pause
    /// is not over either.
    ///
    /// - Parameters:
    ///   - state: What is known about the failures; changes if the clock was set back.
    ///   - now: The time.
    /// - Returns: `nil` if the attempt may proceed.
    private static func wait(after state: inout AttemptState?, at now: Timestamp) -> Duration? {
        guard var known = state, known.count >= freeFailures else { return nil }
        if known.time > now + clockDifference {
            known.time = now
            known.expiresAt = min(known.expiresAt, now + memory)
            state = known
        }
        let pause: Duration = .seconds(60 << min(known.count - freeFailures, 3))
        let elapsed = now - known.time
        return elapsed < pause ? pause - elapsed : nil
    }
}
