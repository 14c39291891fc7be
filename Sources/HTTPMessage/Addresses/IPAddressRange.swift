// SPDX-License-Identifier: Apache-2.0

/// The addresses that share a prefix, in CIDR notation (RFC 4632 section 3.1, RFC 4291 section 2.3).
public struct IPAddressRange: Sendable, Hashable, CustomStringConvertible {
    private let first: IPAddress
    /// The prefix length, out of 128 bits.
    private let length: Int

    /// Reads a range.
    ///
    /// - Parameter text: `10.0.0.0/8`, `2001:db8::/32`, or one address. Bits after the prefix must be zero, because
    ///   `10.0.0.1/8` is ambiguous. Anything else gives `nil`.
    public init?(parsing text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = IPAddress(parsing: parts[0]) else { return nil }
        let width = first.isIPv4 ? 32 : 128
        guard let length = parts.count == 1 ? width : Self.length(parts[1], atMost: width) else { return nil }
        self.first = first
        self.length = 128 - width + length
        guard masked(first) == first else { return nil }
    }

    /// Whether an address is in the range.
    ///
    /// - Parameter address: The address.
    /// - Returns: Whether its prefix is that of the range.
    public func contains(_ address: IPAddress) -> Bool {
        masked(address) == first
    }

    /// The first address and the prefix length, written for IPv4 or IPv6.
    public var description: String { "\(first)/\(first.isIPv4 ? length - 96 : length)" }

    private func masked(_ address: IPAddress) -> IPAddress {
        // A shift by 64 gives zero.
        IPAddress(
            high: address.high & ~(UInt64.max >> min(length, 64)),
            low: address.low & ~(UInt64.max >> max(length - 64, 0))
        )
    }

    private static func length(_ text: some StringProtocol, atMost width: Int) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isDigit), let length = Int(text),
            length <= width
        else { return nil }
        return length
    }
}
