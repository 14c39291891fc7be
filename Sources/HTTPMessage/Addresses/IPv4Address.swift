// SPDX-License-Identifier: Apache-2.0

/// An IPv4 address in dotted decimal without leading zeros: the `IPv4address` of RFC 3986 section 3.2.2.
struct IPv4Address: Hashable {
    /// Four bytes.
    let octets: [UInt8]

    init?(parsing text: ArraySlice<UInt8>) {
        guard text.count >= 7, text.count <= 15 else { return nil }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var octets: [UInt8] = []
        for part in parts {
            guard (1...3).contains(part.count), part.allSatisfy(ASCII.isDigit),
                part.count == 1 || part.first != UInt8(ascii: "0")
            else { return nil }
            let value = part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            guard value <= 255 else { return nil }
            octets.append(UInt8(value))
        }
        self.octets = octets
    }
}
