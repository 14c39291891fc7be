// SPDX-License-Identifier: Apache-2.0

/// How an access token is used (RFC 6749 section 7.1); compared without ASCII case.
public struct TokenType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The name as sent.
    public let rawValue: String

    /// Names a token type.
    ///
    /// - Parameter rawValue: The registered name, in any case.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Bound to a key and sent with a proof (RFC 9449 section 5).
    public static let dpop = Self(rawValue: "DPoP")
    /// Usable by any party that holds it (RFC 6750).
    public static let bearer = Self(rawValue: "Bearer")

    /// Not an access token: the token exchange issued another kind of token (RFC 8693 section 2.2.1).
    public static let notApplicable = Self(rawValue: "N_A")

    /// The name as sent.
    public var description: String { rawValue }

    /// Whether two names are the same, ignoring ASCII case.
    public static func == (left: TokenType, right: TokenType) -> Bool {
        left.folded == right.folded
    }

    /// Hashes the name independent of its case.
    ///
    /// - Parameter hasher: The hasher to use.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(folded)
    }

    private var folded: [UInt8] {
        rawValue.utf8.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
    }
}
