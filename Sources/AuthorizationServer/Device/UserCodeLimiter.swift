// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import ServerStorage

/// Slows down guessing of user codes (RFC 8628 section 5.1), with limits per browser, per account, per address and
/// overall.
///
/// A code has 34 bits. With a hundred devices waiting at any time, an attacker who uses the whole overall limit finds
/// one code in sixteen years on average. An attempt counts from its start until the code proves right, so concurrent
/// attempts cannot bypass the limit.
final class UserCodeLimiter: Sendable {
    /// The source of an attempt.
    struct Guesser {
        let browser: SecretHash
        /// The signed-in account, which is the same in any number of browsers.
        let subject: String?
        let address: IPAddress?
    }

    private let browsers = KeyedLimiter<SecretHash>(RateLimit(10, per: .seconds(600)))
    private let accounts = KeyedLimiter<String>(RateLimit(20, per: .seconds(600)))
    private let addresses = AddressLimiter(RateLimit(60, per: .seconds(600)))
    private let everybody = KeyedLimiter<Bool>(RateLimit(300, per: .seconds(600)))

    /// Starts an attempt.
    ///
    /// - Returns: How long the attempt must wait; `nil` if it may proceed now.
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

    /// The code was right, or was not checked.
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
