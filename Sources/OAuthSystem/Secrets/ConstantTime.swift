// SPDX-License-Identifier: Apache-2.0

/// Comparisons in constant time: the duration does not depend on where two values differ.
package enum ConstantTime {
    /// Compares two byte strings.
    ///
    /// A difference in length can be observed; the contents cannot.
    ///
    /// - Parameters:
    ///   - left: One byte string.
    ///   - right: The other one.
    /// - Returns: Whether both have the same length and content.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withSpan { left in right.withSpan { areEqual(left, $0) } }
    }

    /// Compares two byte strings.
    ///
    /// A difference in length can be observed; the contents cannot.
    ///
    /// - Parameters:
    ///   - left: One byte string.
    ///   - right: The other one.
    /// - Returns: Whether both have the same length and content.
    @inline(never)
    package static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }

    /// Compares two texts by their UTF-8 bytes, without Unicode normalization.
    ///
    /// A difference in length can be observed; the contents cannot.
    ///
    /// - Parameters:
    ///   - left: One text.
    ///   - right: The other one.
    /// - Returns: Whether both have the same UTF-8 bytes.
    package static func areEqual(_ left: String, _ right: String) -> Bool {
        left.withUTF8Span { left in right.withUTF8Span { areEqual(left, $0) } }
    }
}
