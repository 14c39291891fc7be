// SPDX-License-Identifier: Apache-2.0

/// Why the user of an account must sign in again; a minor version may add reasons.
public struct NeedsSignIn: Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the reason, in lower camel case.
    public let rawValue: String

    init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The stable name of the reason.
    public var description: String { rawValue }

    /// The server no longer accepts the refresh token, or the tokens are gone.
    public static let expired = Self(rawValue: "expired")
    /// The key that the tokens are bound to is lost.
    public static let keyLost = Self(rawValue: "keyLost")
    /// The server does not know the client any more, or does not let it refresh tokens: `invalid_client` or
    /// `unauthorized_client`.
    ///
    /// Tokens and session stay: calls work again when the operator puts the client back. A sign-in would fail too.
    public static let clientRefused = Self(rawValue: "clientRefused")
    /// The stored tokens are those of another user than the account's; they are not used.
    public static let anotherUser = Self(rawValue: "anotherUser")
    /// The user signed out and kept the account, here or in another process.
    public static let signedOut = Self(rawValue: "signedOut")
}
