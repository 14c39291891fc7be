// SPDX-License-Identifier: Apache-2.0

/// A JSON number in its original spelling.
///
/// Two numbers are equal only if their spelling is the same: `1` and `1.0` differ.
public struct JSONNumber: Sendable, Hashable {
    /// The text, in the grammar of RFC 8259 section 6.
    ///
    /// Its value is finite.
    public let literal: String

    init(literal: String) {
        self.literal = literal
    }

    /// Creates a number.
    ///
    /// - Parameter value: Any integer.
    public init(_ value: Int64) {
        literal = String(value)
    }

    /// The value, if the text is an integer without fraction and exponent, and fits; else `nil`.
    public var integer: Int64? { Int64(literal) }

    /// The nearest floating-point value.
    ///
    /// It is always finite.
    public var double: Double { Double(literal) ?? .nan }
}
