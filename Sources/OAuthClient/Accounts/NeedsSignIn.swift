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
    /// The stored tokens are those of another user than the account's; they are not used.
    public static let anotherUser = Self(rawValue: "anotherUser")
    /// The user signed out and kept the account, here or in another process.
    public static let signedOut = Self(rawValue: "signedOut")
}
