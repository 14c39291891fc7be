// SPDX-License-Identifier: Apache-2.0

/// What the server is to ask the user for, even when it need not (`prompt`, OpenID Connect Core section 3.1.2.1).
public struct AuthorizationPrompt: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The value on the wire, case-sensitive.
    public let rawValue: String

    /// Names a prompt that has no name here.
    ///
    /// - Parameter rawValue: Visible ASCII without spaces.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// No page at all: an error unless the user is signed in and has consented; alone only.
    public static let none = Self(rawValue: "none")
    /// The user signs in, also when signed in already.
    public static let login = Self(rawValue: "login")
    /// The user is asked to consent, also when that was done already.
    public static let consent = Self(rawValue: "consent")
    /// The user chooses one of several accounts.
    public static let selectAccount = Self(rawValue: "select_account")
    /// The user makes an account (Initiating User Registration via OpenID Connect section 4).
    public static let create = Self(rawValue: "create")

    /// The value on the wire.
    public var description: String { rawValue }
}
