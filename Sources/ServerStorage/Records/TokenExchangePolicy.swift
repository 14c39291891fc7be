// SPDX-License-Identifier: Apache-2.0

/// What a client may do in a token exchange beyond what is safe for every client (RFC 8693).
public struct TokenExchangePolicy: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
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

    /// Its tokens do not name it as the actor (section 1.1): APIs cannot tell it from the user's app.
    public static let impersonationWithoutNamingTheActor = Self(rawValue: "impersonation_without_naming_the_actor")
    /// It may exchange tokens that are bound to keys of other clients.
    ///
    /// It is the server of the API for which the tokens were issued. The authorization server relies on its statement
    /// that it verified the proof that came with them.
    public static let subjectTokensBoundToKeysOfOthers = Self(rawValue: "subject_tokens_bound_to_keys_of_others")

    /// All rights.
    public static let all = [impersonationWithoutNamingTheActor, subjectTokensBoundToKeysOfOthers]
}
