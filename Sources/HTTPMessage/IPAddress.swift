// SPDX-License-Identifier: Apache-2.0

/// An IPv4 or IPv6 address, compared by value: `::ffff:192.0.2.1`, as sockets for both kinds say it, is `192.0.2.1`.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// The upper 64 bits; an IPv4 address counts as mapped into IPv6 (RFC 4291 section 2.5.5.2).
    let high: UInt64
    /// The lower 64 bits.
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads an address.
    ///
    /// - Parameter text: An IPv4 address in dotted decimal without leading zeros, or an IPv6 address without brackets and
    ///   zone (RFC 3986 section 3.2.2); `nil` for anything else.
    public init?(parsing text: some StringProtocol) {
        let bytes = ArraySlice(text.utf8)
        if let address = IPv4Address(parsing: bytes) {
            high = 0
            low = address.octets.reduce(0xFFFF) { $0 << 8 | UInt64($1) }
        } else if let address = IPv6Address(parsing: bytes) {
            high = address.groups[..<4].reduce(0) { $0 << 16 | UInt64($1) }
            low = address.groups[4...].reduce(0) { $0 << 16 | UInt64($1) }
        } else {
            return nil
        }
    }

    /// Whether it is an IPv4 address, mapped or not.
    public var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// What one customer of a network provider has at least: the address itself, and of an IPv6 address the /64
    /// (RFC 6177).
    ///
    /// Whoever has a /64 has 2^64 addresses, so counting single ones would count nothing.
    public var subscriber: IPAddress { isIPv4 ? self : IPAddress(high: high, low: 0) }

    /// The canonical text: dotted decimal, or that of RFC 5952.
    public var description: String {
        let groups = [high, low].flatMap { half in [48, 32, 16, 0].map { UInt16(truncatingIfNeeded: half >> $0) } }
        guard isIPv4 else { return IPv6Address(groups: groups).description }
        return [24, 16, 8, 0].map { String(low >> $0 & 0xFF) }.joined(separator: ".")
    }
}
