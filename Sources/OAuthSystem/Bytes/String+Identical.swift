// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Whether two strings have the same bytes, as OAuth requires for comparisons (RFC 3986 section 6.2.1).
    ///
    /// `==` compares by canonical equivalence, so distinct strings can be equal: `K` and U+212A.
    package func isIdentical(to other: String) -> Bool {
        utf8.count == other.utf8.count
            && withUTF8Span { bytes in other.withUTF8Span { bytes.isIdentical(to: $0) } }
    }

    /// Compares two secrets byte by byte in constant time.
    ///
    /// Only whether their lengths differ can be observed.
    package func isIdenticalInConstantTime(to other: String) -> Bool {
        ConstantTime.areEqual(self, other)
    }
}
