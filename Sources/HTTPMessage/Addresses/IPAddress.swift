// SPDX-License-Identifier: Apache-2.0

/// An IPv4 or IPv6 address, compared by value: `::ffff:192.0.2.1`, as dual-stack sockets report it, equals `192.0.2.1`.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// The upper 64 bits.
    ///
    /// An IPv4 address is stored as mapped into IPv6 (RFC 4291 section 2.5.5.2).
    let high: UInt64
    /// The lower 64 bits.
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads an address.
    ///
    /// - Parameter text: An IPv4 address in dotted decimal without leading zeros, or an IPv6 address without brackets
    ///   and zone (RFC 3986 section 3.2.2); anything else gives `nil`.
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

    /// Reads an address as protocols carry it.
    ///
    /// - Parameter octets: 4 or 16 bytes in network order; any other count gives `nil`.
    public init?(octets: [UInt8]) {
        switch octets.count {
        case 4: self.init(high: 0, low: octets.reduce(0xFFFF) { $0 << 8 | UInt64($1) })
        case 16:
            self.init(
                high: octets[..<8].reduce(0) { $0 << 8 | UInt64($1) },
                low: octets[8...].reduce(0) { $0 << 8 | UInt64($1) }
            )
        default: return nil
        }
    }

    /// Whether this is an IPv4 address, mapped or not.
    public var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// The block that one customer of a network provider has at least: an IPv4 address itself, the /64 of an IPv6
    /// address (RFC 6177).
    ///
    /// The holder of a /64 has 2^64 addresses, so a limit per single IPv6 address would not limit anything.
    public var subscriber: IPAddress { isIPv4 ? self : IPAddress(high: high, low: 0) }

    /// The canonical text: dotted decimal for IPv4, RFC 5952 for IPv6.
    public var description: String {
        let groups = [high, low].flatMap { half in [48, 32, 16, 0].map { UInt16(truncatingIfNeeded: half >> $0) } }
        guard isIPv4 else { return IPv6Address(groups: groups).description }
        return [24, 16, 8, 0].map { String(low >> $0 & 0xFF) }.joined(separator: ".")
    }
}
