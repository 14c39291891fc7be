// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Whether two strings are the same bytes, as the comparisons of OAuth demand (RFC 3986 section 6.2.1).
    ///
    /// `==` compares by canonical equivalence, by which distinct strings can be equal: `K` and U+212A.
    package func isIdentical(to other: String) -> Bool {
        utf8.count == other.utf8.count
            && withUTF8Span { bytes in other.withUTF8Span { bytes.isIdentical(to: $0) } }
    }

    /// Whether two secrets are the same bytes, in a time that does not tell where they differ; only whether the lengths do.
    package func isIdenticalInConstantTime(to other: String) -> Bool {
        ConstantTime.areEqual(self, other)
    }
}
