// SPDX-License-Identifier: Apache-2.0

/// An event of a session, for an app that shows its state.
///
/// An event holds no token. A minor version may add events.
public struct SessionEvent: Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the event, in lower camel case.
    public let rawValue: String

    private init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The stable name of the event.
    public var description: String { rawValue }

    /// The server issued new tokens, and they are stored.
    public static let refreshed = Self("refreshed")
    /// Another process had already refreshed the tokens; the session uses them from now on.
    public static let adopted = Self("adopted")
    /// A refresh failed temporarily, because of the network, the server or a store; the session continues.
    public static let refreshFailed = Self("refreshFailed")
    /// The server does not know the client any more, or does not let it refresh tokens; the session continues, and works
    /// again when the operator puts the client back.
    public static let clientRefused = Self("clientRefused")
    /// The session has ended, because the server no longer accepts the refresh token or the tokens could not be stored:
    /// the user must sign in again.
    public static let expired = Self("expired")
    /// The app, or another process, signed the user out.
    public static let signedOut = Self("signedOut")
    /// The key that the tokens are bound to is lost or was replaced by another key: the user must sign in again.
    public static let keyLost = Self("keyLost")
    /// The key is locked for now: the operation failed, and works again when the device is unlocked.
    public static let deviceLocked = Self("deviceLocked")
    /// A sign-in found no key, and could not make one; see ``TokenBindingFallback`` for signing in without a key.
    public static let keyCreationFailed = Self("keyCreationFailed")
    /// A new key is not in the storage that the `KeyManager` prefers; usually it is in software because there is no
    /// hardware.
    public static let keyFellBack = Self("keyFellBack")
    /// A proof could not be signed, or a server rejected it and all retries: the request failed, and the session
    /// continues.
    public static let proofFailed = Self("proofFailed")
    /// An API rejected an access token that was new: for a minute, and later for up to 15 minutes, its rejections cause no
    /// refresh, and calls return its 401.
    ///
    /// The API may expect another audience, see ``AuthorizationOptions/resources``.
    public static let tokenRejected = Self("tokenRejected")
    /// New tokens are not bound to a key, and the configuration accepts that: see ``TokenBindingFallback``.
    public static let bindingDowngraded = Self("bindingDowngraded")
}
