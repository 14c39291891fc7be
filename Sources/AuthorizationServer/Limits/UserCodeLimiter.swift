// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE

/// Slows down guessing of user codes (RFC 8628 section 5.1): by browser, by address, and of everybody together.
///
/// A code is 34 bits. With a hundred devices that wait at any time, somebody who uses all of the last limit up finds one code in
/// sixteen years on average. An attempt counts from its begin until it turns out to be right, so that attempts at once do not
/// pass together.
final class UserCodeLimiter: Sendable {
    private let browsers = KeyedLimiter<SecretHash>(RateLimit(10, per: .seconds(600)))
    private let addresses = AddressLimiter(RateLimit(60, per: .seconds(600)))
    private let everybody = KeyedLimiter<Bool>(RateLimit(300, per: .seconds(600)))

    /// Begins an attempt.
    ///
    /// - Returns: How long it has to wait instead; `nil` when it may be made now.
    func begin(in browser: SecretHash, from address: IPAddress?, at now: Timestamp) -> Duration? {
        if let wait = browsers.take(browser, at: now) { return wait }
        if let wait = addresses.take(address, at: now) {
            browsers.giveBack(browser)
            return wait
        }
        if let wait = everybody.take(true, at: now) {
            browsers.giveBack(browser)
            addresses.giveBack(address)
            return wait
        }
        return nil
    }

    /// The code was right, or was not looked at.
    func takeBack(in browser: SecretHash, from address: IPAddress?) {
        browsers.giveBack(browser)
        addresses.giveBack(address)
        everybody.giveBack(true)
    }
}
