// SPDX-License-Identifier: Apache-2.0

/// The transformation from code verifier to code challenge (RFC 7636 section 4.2).
public struct CodeChallengeMethod: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The registered name, case-sensitive (RFC 7636 section 6.2).
    public let rawValue: String

    /// Names a method; a verifier decides whether it is allowed.
    ///
    /// - Parameter rawValue: The registered name, case-sensitive.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The challenge is the SHA-256 of the verifier: an attacker who sees the challenge cannot compute the verifier.
    public static let s256 = Self(rawValue: "S256")
    /// The challenge is the verifier itself: an attacker who sees the authorization request has both.
    ///
    /// Only for servers that do not support S256 (section 7.2). The library never chooses it by itself.
    public static let plainWithoutProtection = Self(rawValue: "plain")

    /// The registered name.
    public var description: String { rawValue }
}
