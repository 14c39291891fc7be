// SPDX-License-Identifier: Apache-2.0

/// One value of a parsed JSON text: its position, not its content.
///
/// Tokens are in text order. The members of an object follow its token as alternating names and values; the elements of
/// an array follow its token. ``next`` skips everything nested.
struct JSONToken {
    enum Kind: UInt8 {
        case null
        case `true`
        case `false`
        case number
        /// A string without escapes: its bytes are its text.
        case string
        /// A string with escapes.
        case escapedString
        case array
        case object
    }

    let kind: Kind
    /// The offset of the value; for a string, after the opening quote.
    let start: UInt32
    var end: UInt32
    /// The index of the token after this value.
    var next: UInt32

    /// The number of bytes between start and end.
    var count: Int { Int(end &- start) }
    var isString: Bool { kind == .string || kind == .escapedString }
}
