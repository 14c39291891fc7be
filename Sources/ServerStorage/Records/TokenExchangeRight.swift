// SPDX-License-Identifier: Apache-2.0

/// What a client may do in a token exchange beyond what is safe for everybody (RFC 8693).
public struct TokenExchangeRight: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The stable name.
    public let rawValue: String

    /// Names a right.
    ///
    /// - Parameter rawValue: The stable name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The stable name.
    public var description: String { rawValue }

    /// Tokens it gets do not say that it acts for somebody (section 1.1): APIs cannot tell it from the app of the person.
    public static let impersonationWithoutNamingTheActor = Self(rawValue: "impersonation_without_naming_the_actor")
    /// It takes tokens that are bound to keys of others, as the server of the API that they are for: that it has verified the
    /// proof that came with them is its own word.
    public static let subjectTokensBoundToKeysOfOthers = Self(rawValue: "subject_tokens_bound_to_keys_of_others")

    /// Every right there is.
    public static let all = [impersonationWithoutNamingTheActor, subjectTokensBoundToKeysOfOthers]
}
