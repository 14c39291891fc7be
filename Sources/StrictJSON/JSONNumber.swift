// SPDX-License-Identifier: Apache-2.0

/// A JSON number as it was written.
///
/// Two numbers are equal when they are written alike: `1` and `1.0` differ.
public struct JSONNumber: Sendable, Hashable {
    /// The text, by the grammar of RFC 8259 section 6; its value is finite.
    public let literal: String

    package init(literal: String) {
        self.literal = literal
    }

    /// Makes a number.
    ///
    /// - Parameter value: Any integer.
    public init(_ value: Int64) {
        literal = String(value)
    }

    /// The value, when the text is that of an integer (no fraction, no exponent) that fits.
    public var integer: Int64? { Int64(literal) }

    /// The nearest floating-point value, always finite.
    public var double: Double { Double(literal) ?? .nan }
}
