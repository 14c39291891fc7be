// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import ServerStorage

/// Slows down guessing of user codes (RFC 8628 section 5.1): by browser, by account, by address, and of everybody together.
///
/// A code is 34 bits. With a hundred devices that wait at any time, somebody who uses all of the last limit up finds one code in
/// sixteen years on average. An attempt counts from its begin until it turns out to be right, so that attempts at once do not
/// pass together.
final class UserCodeLimiter: Sendable {
    /// Where an attempt is made, and by whom.
    struct Guesser {
        let browser: SecretHash
        /// The account that is signed in there; it stays the same in however many browsers.
        let subject: String?
        let address: IPAddress?
    }

    private let browsers = KeyedLimiter<SecretHash>(RateLimit(10, per: .seconds(600)))
    private let accounts = KeyedLimiter<String>(RateLimit(20, per: .seconds(600)))
    private let addresses = AddressLimiter(RateLimit(60, per: .seconds(600)))
    private let everybody = KeyedLimiter<Bool>(RateLimit(300, per: .seconds(600)))

    /// Begins an attempt.
    ///
    /// - Returns: How long it has to wait instead; `nil` when it may be made now.
    func begin(_ guesser: Guesser, at now: Timestamp) -> Duration? {
        if let wait = browsers.take(guesser.browser, at: now) { return wait }
        if let wait = guesser.subject.flatMap({ accounts.take($0, at: now) }) {
            browsers.giveBack(guesser.browser)
            return wait
        }
        if let wait = addresses.take(guesser.address, at: now) {
            giveBackOwn(guesser)
            return wait
        }
        if let wait = everybody.take(true, at: now) {
            giveBackOwn(guesser)
            addresses.giveBack(guesser.address)
            return wait
        }
        return nil
    }

    /// The code was right, or was not looked at.
    func takeBack(_ guesser: Guesser) {
        giveBackOwn(guesser)
        addresses.giveBack(guesser.address)
        everybody.giveBack(true)
    }

    private func giveBackOwn(_ guesser: Guesser) {
        browsers.giveBack(guesser.browser)
        if let subject = guesser.subject { accounts.giveBack(subject) }
    }
}
