// SPDX-License-Identifier: Apache-2.0

/// Comparisons whose time does not tell where two values differ.
package enum ConstantTime {
    /// Compares two strings of octets.
    ///
    /// Whether the lengths differ is not hidden; the contents are.
    ///
    /// - Parameters:
    ///   - left: One string of octets.
    ///   - right: The other one.
    /// - Returns: Whether both have the same length and content.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withSpan { left in right.withSpan { areEqual(left, $0) } }
    }

    /// Compares two strings of octets.
    ///
    /// Whether the lengths differ is not hidden; the contents are.
    ///
    /// - Parameters:
    ///   - left: One string of octets.
    ///   - right: The other one.
    /// - Returns: Whether both have the same length and content.
    @inline(never)
    package static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }

    /// Compares two texts by their UTF-8 octets, without any normalisation.
    ///
    /// Whether the lengths differ is not hidden; the contents are.
    ///
    /// - Parameters:
    ///   - left: One text.
    ///   - right: The other one.
    /// - Returns: Whether both have the same UTF-8 octets.
    package static func areEqual(_ left: String, _ right: String) -> Bool {
        left.withUTF8Span { left in right.withUTF8Span { areEqual(left, $0) } }
    }
}
