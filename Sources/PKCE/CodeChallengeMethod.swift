// SPDX-License-Identifier: Apache-2.0

/// How a code challenge is made from a code verifier (RFC 7636 section 4.2).
public struct CodeChallengeMethod: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The registered name, case-sensitive (RFC 7636 section 6.2).
    public let rawValue: String

    /// Names a method; whether it is allowed is for the one who checks.
    ///
    /// - Parameter rawValue: The registered name, case-sensitive.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The challenge is the SHA-256 of the verifier: who sees the challenge cannot make the verifier.
    public static let s256 = Self(rawValue: "S256")
    /// The challenge is the verifier itself: who sees the authorization request has both.
    ///
    /// For servers that know nothing better (section 7.2); nothing here chooses it by itself.
    public static let plainWithoutProtection = Self(rawValue: "plain")

    /// The registered name.
    public var description: String { rawValue }
}
