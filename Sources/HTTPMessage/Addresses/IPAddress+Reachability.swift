// SPDX-License-Identifier: Apache-2.0

extension IPAddress {
    /// Whether packets to this address may leave a network, by the IANA registries of special-purpose addresses (RFC
    /// 6890) and of multicast addresses.
    ///
    /// An IPv4 address inside an IPv6 address (mapped, NAT64 of RFC 6052, 6to4 of RFC 3056) counts as itself. Addresses
    /// that IANA has not assigned yet, and those of protocols of their own (`192.0.0.0/24`, `2001::/23`), do not count
    /// as reachable.
    public var isGloballyReachable: Bool {
        if isIPv4 { return !Self.specialIPv4.contains { $0.contains(self) } }
        if let embedded = embeddedIPv4 { return embedded.isGloballyReachable }
        return Self.globalUnicast.contains { $0.contains(self) } && !Self.specialIPv6.contains { $0.contains(self) }
    }

    private var embeddedIPv4: IPAddress? {
        if Self.nat64.contains(where: { $0.contains(self) }) { return Self.ipv4(low) }
        if Self.sixToFour.contains(where: { $0.contains(self) }) { return Self.ipv4(high >> 16) }
        return nil
    }

    private static func ipv4(_ bits: UInt64) -> IPAddress {
        IPAddress(high: 0, low: 0xFFFF << 32 | bits & 0xFFFF_FFFF)
    }

    private static func ranges(_ texts: String...) -> [IPAddressRange] {
        texts.compactMap { IPAddressRange(parsing: $0) }
    }

    /// RFC 4291 section 2.4, as far as IANA assigns it.
    private static let globalUnicast = ranges("2000::/3")
    private static let nat64 = ranges("64:ff9b::/96")
    private static let sixToFour = ranges("2002::/16")

    private static let specialIPv4 = ranges(
        "0.0.0.0/8",  // this network, RFC 791
        "10.0.0.0/8",  // private, RFC 1918
        "100.64.0.0/10",  // shared by a provider's customers, RFC 6598
        "127.0.0.0/8",  // loopback, RFC 1122
        "169.254.0.0/16",  // link-local, RFC 3927: here clouds serve credentials of the machine
        "172.16.0.0/12",  // private, RFC 1918
        "192.0.0.0/24",  // protocols, RFC 6890
        "192.0.2.0/24",  // documentation, RFC 5737
        "192.88.99.0/24",  // relays of 6to4, RFC 7526
        "192.168.0.0/16",  // private, RFC 1918
        "198.18.0.0/15",  // benchmarks, RFC 2544
        "198.51.100.0/24",  // documentation, RFC 5737
        "203.0.113.0/24",  // documentation, RFC 5737
        "224.0.0.0/4",  // multicast, RFC 5771
        "240.0.0.0/4"  // reserved, RFC 1112, and broadcast, RFC 919
    )

    private static let specialIPv6 = ranges(
        "2001::/23",  // protocols, RFC 2928, with Teredo, RFC 4380
        "2001:db8::/32",  // documentation, RFC 3849
        "3fff::/20"  // documentation, RFC 9637
    )
}
