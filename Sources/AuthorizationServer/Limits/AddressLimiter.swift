// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

/// Enforces a ``RateLimit`` per address: each IPv4 address, or each /64 of IPv6.
final class AddressLimiter: Sendable {
    private let limiter: KeyedLimiter<IPAddress>

    init(_ limit: RateLimit?, maximumAddresses: Int = 100_000) {
        limiter = KeyedLimiter(limit, maximumKeys: maximumAddresses)
    }

    /// The number of addresses with a count.
    var count: Int { limiter.count }

    /// Counts one request of an address.
    ///
    /// - Returns: How long it must wait; `nil` if it may proceed, or has no address to count.
    func take(_ address: IPAddress?, at now: Timestamp) -> Duration? {
        address.flatMap { limiter.take($0.subscriber, at: now) }
    }

    /// The last counted request was harmless.
    func giveBack(_ address: IPAddress?) {
        if let address { limiter.giveBack(address.subscriber) }
    }
}
