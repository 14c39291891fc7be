// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import ServerStorage

/// Slows down guessing of user codes (RFC 8628 section 5.1), with limits per account and per address.
///
/// No user has to wait for what others do. A code is one of 20^8 = 2.56 * 10^10. If a hundred devices wait at any time,
/// an account that guesses at its limit of 2,880 a day finds one in 240 years. With many accounts that guess, the alarm
/// leaves each of them 720 a day: one hit in 970 years for one account, and in a year for 970 of them. An attempt counts
/// from its start until the code proves right, so concurrent attempts cannot bypass the limit.
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
    }

    /// As many wrong codes of all accounts raise the alarm.
    static let alarmCount = 300

    private let accounts = KeyedLimiter<String>(RateLimit(20, per: .seconds(600)))
    private let addresses = AddressLimiter(RateLimit(60, per: .seconds(600)))
    /// Accounts with five wrong codes in ten minutes wait while there is an alarm.
    private let suspects = KeyedLimiter<String>(RateLimit(5, per: .seconds(600)))
    private let everybody = KeyedLimiter<Bool>(RateLimit(UserCodeLimiter.alarmCount, per: .seconds(600)))
    private let reports = KeyedLimiter<Bool>(RateLimit(1, per: .seconds(600)))

    /// Counts an attempt from its start.
    func begin(_ guesser: Guesser, at now: Timestamp) -> Count {
        if let wait = accounts.take(guesser.subject, at: now) { return Count(wait: wait, raisesAlarm: false) }
        if let wait = addresses.take(guesser.address, at: now) {
            accounts.giveBack(guesser.subject)
            return Count(wait: wait, raisesAlarm: false)
        }
        let suspicion = suspects.take(guesser.subject, at: now)
        guard everybody.take(true, at: now) != nil else { return Count(wait: nil, raisesAlarm: false) }
        let raisesAlarm = reports.take(true, at: now) == nil
        if suspicion != nil {
            accounts.giveBack(guesser.subject)
            addresses.giveBack(guesser.address)
        }
        return Count(wait: suspicion, raisesAlarm: raisesAlarm)
    }

    /// The code was right.
    func takeBack(_ guesser: Guesser) {
        accounts.giveBack(guesser.subject)
        addresses.giveBack(guesser.address)
        suspects.giveBack(guesser.subject)
        everybody.giveBack(true)
    }
}
