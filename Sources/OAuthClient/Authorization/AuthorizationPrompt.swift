// SPDX-License-Identifier: Apache-2.0

/// What the server must ask the user for, even when it is not needed (`prompt`, OpenID Connect Core section 3.1.2.1).
public struct AuthorizationPrompt: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The value on the wire, case-sensitive.
    public let rawValue: String

    /// Makes a prompt that has no constant here.
    ///
    /// - Parameter rawValue: Visible ASCII without spaces.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Shows no page: the request fails unless the user is signed in and has consented.
    ///
    /// Cannot be combined with others.
    public static let none = Self(rawValue: "none")
    /// The user authenticates, even if already signed in.
    public static let login = Self(rawValue: "login")
    /// The user is asked for consent, even if already given.
    public static let consent = Self(rawValue: "consent")
    /// The user chooses one of several accounts.
    public static let selectAccount = Self(rawValue: "select_account")
    /// The user creates an account (Initiating User Registration via OpenID Connect section 4).
    public static let create = Self(rawValue: "create")

    /// The value on the wire.
    public var description: String { rawValue }
}
