// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import ServerStorage

/// Slows down guessing of user codes (RFC 8628 section 5.1), with limits per account and per address.
///
/// No user has to wait for what others do. A code is one of 20^8 = 2.56 * 10^10. If a hundred devices wait at any time,
/// an account that guesses at its limit of 2,880 a day finds one in 240 years. With many accounts that guess, the alarm
/// leaves each of them 720 a day: one hit in 970 years for one account, and in a year for 970 of them. An attempt counts
/// from its start until the code proves right, so concurrent attempts cannot bypass the limit. All servers of a database
/// count together, except for addresses, which each counts for itself.
final class UserCodeLimiter: Sendable {
    /// The source of an attempt.
    struct Guesser {
        let subject: String
        let address: IPAddress?
    }

    /// What came of counting an attempt.
    struct Count {
        /// How long the attempt must wait; `nil` if it may proceed now.
        let wait: Duration?
        /// Whether the operator should know, at most once in ten minutes, that codes are being guessed.
        let raisesAlarm: Bool
        /// For each bucket of the account, whether the attempt was taken from it; empty if it must wait.
        fileprivate var taken: [Bool] = []
    }

    /// What came of counting an attempt in the storage.
    private enum Admission {
        case free(taken: [Bool])
        /// The account has used up its limit.
        case wait(Duration)
        /// All accounts together have; those that guess wait.
        case alarm(wait: Duration?, taken: [Bool])
    }

    /// As many wrong codes of all accounts raise the alarm.
    static let alarmCount = 300

    private let store: any AttemptStore
    private let addresses = AddressLimiter(RateLimit(60, per: .seconds(600)))
    private let reports = KeyedLimiter<Bool>(RateLimit(1, per: .seconds(600)))

    init(store: any AttemptStore) {
        self.store = store
    }

    /// Counts an attempt from its start.
    ///
    /// - Throws: An error of the storage.
    func begin(_ guesser: Guesser, at now: Timestamp) async throws -> Count {
        if let wait = addresses.take(guesser.address, at: now) { return Count(wait: wait, raisesAlarm: false) }
        let buckets = Bucket.all(of: guesser.subject)
        let admission: Admission
        do {
            admission = try await store.changeAttempts(of: buckets.map(\.key), at: now) { states in
                Self.admit(buckets, &states, at: now)
            }
        } catch {
            addresses.giveBack(guesser.address)
            throw error
        }
        switch admission {
        case .free(let taken): return Count(wait: nil, raisesAlarm: false, taken: taken)
        case .wait(let wait):
            addresses.giveBack(guesser.address)
            return Count(wait: wait, raisesAlarm: false)
        case .alarm(let wait, let taken):
            if wait != nil { addresses.giveBack(guesser.address) }
            return Count(wait: wait, raisesAlarm: reports.take(true, at: now) == nil, taken: taken)
        }
    }

    /// The code was right: each bucket gets back what the attempt took from it.
    ///
    /// A bucket that it took nothing from gets nothing. With right codes of a device of their own, an account could otherwise
    /// empty the bucket of all accounts, and so end the alarm for those that guess.
    ///
    /// - Throws: An error of the storage; the attempt then stays counted.
    func takeBack(_ guesser: Guesser, _ count: Count, at now: Timestamp) async throws {
        addresses.giveBack(guesser.address)
        let buckets = zip(Bucket.all(of: guesser.subject), count.taken).filter { $0.1 }.map { $0.0 }
        guard !buckets.isEmpty else { return }
        try await store.changeAttempts(of: buckets.map(\.key), at: now) { states in
            for (index, bucket) in buckets.enumerated() { bucket.giveBack(to: &states[index]) }
        }
    }

    /// Counts in the buckets of ``Bucket/all(of:)``.
    private static func admit(_ buckets: [Bucket], _ states: inout [AttemptState?], at now: Timestamp) -> Admission {
        let before = states[0]
        if let wait = buckets[0].take(from: &states[0], at: now) { return .wait(wait) }
        let suspicion = buckets[1].take(from: &states[1], at: now)
        guard buckets[2].take(from: &states[2], at: now) != nil else {
            return .free(taken: [true, suspicion == nil, true])
        }
        guard suspicion == nil else {
            states[0] = before
            return .alarm(wait: suspicion, taken: [])
        }
        return .alarm(wait: nil, taken: [true, true, false])
    }
}

/// A limit, and what it is counted under.
private struct Bucket: Sendable {
    /// How far apart the clocks of two servers may be.
    ///
    /// If a server whose clock is behind took what another one stored for a time in the future, it would refill the bucket,
    /// and whoever guesses at both in turn would have no limit. Such a server is out of service (`/ready`) long before.
    private static let clockDifference: Duration = .seconds(600)

    let key: AttemptKey
    let limit: RateLimit?

    /// Those of an account: its own, the one that it has while there is an alarm, and that of all accounts.
    static func all(of subject: String) -> [Bucket] {
        [
            Bucket(key: AttemptKey("user code", subject), limit: RateLimit(20, per: .seconds(600))),
            Bucket(key: AttemptKey("user code, alarm", subject), limit: RateLimit(5, per: .seconds(600))),
            Bucket(
                key: AttemptKey("user code of all"),
                limit: RateLimit(UserCodeLimiter.alarmCount, per: .seconds(600))
            ),
        ]
    }

    /// Takes one attempt.
    ///
    /// - Returns: How long it must wait; `nil` if it may proceed.
    func take(from state: inout AttemptState?, at now: Timestamp) -> Duration? {
        var fullAt = state?.time
        let wait = limit?.take(from: &fullAt, at: now, clocksWithin: Self.clockDifference)
        // Also if it must wait: the time is another one if the clock was set back.
        state = fullAt.map { AttemptState(count: 0, time: $0, expiresAt: $0) }
        return wait
    }

    func giveBack(to state: inout AttemptState?) {
        guard let limit, let known = state else { return }
        let fullAt = known.time - limit.interval
        state = AttemptState(count: 0, time: fullAt, expiresAt: fullAt)
    }
}
