// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

/// Holds addresses to a ``RateLimit``: one of IPv4, or a /64 of IPv6, each.
final class AddressLimiter: Sendable {
    private let limiter: KeyedLimiter<IPAddress>

    init(_ limit: RateLimit?, maximumAddresses: Int = 100_000) {
        limiter = KeyedLimiter(limit, maximumKeys: maximumAddresses)
    }

    /// How many addresses are remembered.
    var count: Int { limiter.count }

    /// Counts one more of an address.
    ///
    /// - Returns: How long it has to wait instead; `nil` when it may go on, or has no address to be counted by.
    func take(_ address: IPAddress?, at now: Timestamp) -> Duration? {
        address.flatMap { limiter.take($0.subscriber, at: now) }
    }

    /// What was counted last turned out to be harmless.
    func giveBack(_ address: IPAddress?) {
        if let address { limiter.giveBack(address.subscriber) }
    }
}
