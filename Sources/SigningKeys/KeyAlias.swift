// SPDX-License-Identifier: Apache-2.0

/// The name of a key in a store.
///
/// File stores also use it as the file name, so it has no separators and no leading dot.
public struct KeyAlias: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The maximum length of an alias.
    public static let maximumCount = 128

    /// The name.
    public let text: String

    /// Checks an alias.
    ///
    /// - Parameter text: 1 to 128 characters of `A-Z a-z 0-9 . _ -`; the first is not a dot.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/invalidAlias``.
    public init(_ text: String) throws(KeyStoreError) {
        guard (1...Self.maximumCount).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed),
            text.utf8.first != UInt8(ascii: ".")
        else {
            throw KeyStoreError(
                .invalidAlias,
                "a key alias must be 1 to 128 letters, digits, dots, hyphens and underscores, not starting with a dot"
            )
        }
        self.text = text
    }

    /// The name.
    public var description: String { text }

    /// Whether one name precedes another, in byte order.
    ///
    /// - Parameters:
    ///   - left: One name.
    ///   - right: The other one.
    /// - Returns: Whether `left` comes first.
    public static func < (left: KeyAlias, right: KeyAlias) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    private static func isAllowed(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default:
            false
        }
    }
}
