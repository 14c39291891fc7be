// SPDX-License-Identifier: Apache-2.0

/// An IPv6 address.
///
/// Reads the `IPv6address` of RFC 3986 section 3.2.2 and writes the canonical text of RFC 5952.
struct IPv6Address: Hashable, CustomStringConvertible {
    /// Eight groups of 16 bits.
    let groups: [UInt16]

    init(groups: [UInt16]) {
        self.groups = groups
    }

    /// Reads an address without brackets and without a zone.
    init?(parsing text: ArraySlice<UInt8>) {
        // The longest form is six groups of four digits and a dotted IPv4 address.
        guard text.count >= 2, text.count <= 45 else { return nil }
        let colon = UInt8(ascii: ":")
        guard let gap = text.indices.dropLast().first(where: { text[$0] == colon && text[$0 + 1] == colon }) else {
            guard let groups = Self.groups(text, mayEndInIPv4: true), groups.count == 8 else { return nil }
            self.groups = groups
            return
        }
        guard let before = Self.groups(text[..<gap], mayEndInIPv4: false),
            let after = Self.groups(text[(gap + 2)...], mayEndInIPv4: true), before.count + after.count < 8
        else { return nil }
        groups = before + Array(repeating: 0, count: 8 - before.count - after.count) + after
    }

    var isLoopback: Bool {
        groups == [0, 0, 0, 0, 0, 0, 0, 1]
    }

    /// The canonical text (RFC 5952 section 4).
    ///
    /// An IPv4-mapped address ends in dotted decimal (section 5).
    var description: String {
        if groups.prefix(6) == [0, 0, 0, 0, 0, 0xFFFF] {
            return "::ffff:\(groups[6] >> 8).\(groups[6] & 0xFF).\(groups[7] >> 8).\(groups[7] & 0xFF)"
        }
        func text(_ part: some Sequence<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard let zeros = longestRunOfZeros else { return text(groups) }
        return text(groups[..<zeros.lowerBound]) + "::" + text(groups[zeros.upperBound...])
    }

    /// The longest run of at least two zero groups, the first of equals (RFC 5952 sections 4.2.2 and 4.2.3).
    private var longestRunOfZeros: Range<Int>? {
        var longest = 0..<1
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 {
                start = index + 1
            } else if index + 1 - start > longest.count {
                longest = start..<index + 1
            }
        }
        return longest.count > 1 ? longest : nil
    }

    private static func groups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if mayEndInIPv4, index == parts.count - 1, let address = IPv4Address(parsing: part) {
                let octets = address.octets.map { UInt16($0) }
                groups += [octets[0] << 8 | octets[1], octets[2] << 8 | octets[3]]
            } else {
                guard (1...4).contains(part.count) else { return nil }
                var group: UInt16 = 0
                for byte in part {
                    guard let value = ASCII.hexValue(byte) else { return nil }
                    group = group << 4 | UInt16(value)
                }
                groups.append(group)
            }
        }
        return groups
    }
}
