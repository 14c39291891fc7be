// SPDX-License-Identifier: Apache-2.0

/// One value of a JSON text that was read: where it stands, not what it is.
///
/// Tokens lie in the order of the text. The members of an object follow its token, a name and a value in turn; so do the
/// elements of an array. ``next`` steps over all that is inside.
struct JSONToken {
    enum Kind: UInt8 {
        case null
        case `true`
        case `false`
        case number
        /// A string whose bytes are its text.
        case string
        /// A string in which an escape stands.
        case escapedString
        case array
        case object
    }

    let kind: Kind
    /// Of a string what stands between the quotes.
    let start: UInt32
    var end: UInt32
    /// The index of the token after this value.
    var next: UInt32

    /// How many bytes lie between start and end.
    var count: Int { Int(end &- start) }
    /// Whether it is a string, escaped or not.
    var isString: Bool { kind == .string || kind == .escapedString }
}
