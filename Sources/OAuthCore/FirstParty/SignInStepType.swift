// SPDX-License-Identifier: Apache-2.0

/// What a step of a sign-in without a browser asks for: the value of `step` in a request, and of `type` in an offer.
///
/// OAuth 2.0 for First-Party Applications leaves the steps to the deployment (sections 5.2.2 and 5.3): these are the
/// words of this library's servers. The set is open: a client ignores the types that it does not know.
public struct SignInStepType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The word, case-sensitive.
    public let rawValue: String

    /// Names a type.
    ///
    /// - Parameter rawValue: The word, case-sensitive.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The word.
    public var description: String { rawValue }

    /// User name and password, in `username` and `password`.
    public static let password = Self(rawValue: "password")
    /// A code of an authenticator app, in `code` (RFC 6238).
    public static let totp = Self(rawValue: "totp")
    /// A recovery code, in `code`.
    public static let recoveryCode = Self(rawValue: "recovery_code")
    /// A passkey, in `credential` (Web Authentication Level 3 section 5.1.8).
    public static let passkey = Self(rawValue: "passkey")
    /// The user wants to go on in the browser; there is nothing to answer.
    public static let redirectToWeb = Self(rawValue: "redirect_to_web")
}
