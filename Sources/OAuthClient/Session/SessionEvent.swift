// SPDX-License-Identifier: Apache-2.0

/// Something that happened to a session, for an app that shows it.
///
/// An event holds no token. New ones may be added in a minor version.
public struct SessionEvent: Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the event, in lower camel case.
    public let rawValue: String

    private init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The stable name of the event.
    public var description: String { rawValue }

    /// New tokens came from the server and are stored.
    public static let refreshed = Self("refreshed")
    /// Another process had refreshed already; its tokens are used from now on.
    public static let adopted = Self("adopted")
    /// A refresh failed for now, by network, server or a store; the session goes on.
    public static let refreshFailed = Self("refreshFailed")
    /// The session is over, since the server does not take the refresh token any more or the tokens could not be stored: the
    /// user must sign in again.
    public static let expired = Self("expired")
    /// The session was ended on purpose, here or by another process.
    public static let signedOut = Self("signedOut")
    /// The key that the tokens are bound to is gone, or another one is in its place: the user must sign in again.
    public static let keyLost = Self("keyLost")
    /// The key is there but locked for now: what was asked for failed, and works again when the device is unlocked.
    public static let deviceLocked = Self("deviceLocked")
    /// A sign-in found no key, and none could be made; see ``TokenBindingFallback`` for going on without.
    public static let keyCreationFailed = Self("keyCreationFailed")
    /// A new key is not where the `KeyManager` would have liked it most, mostly in software since there is no hardware.
    public static let keyFellBack = Self("keyFellBack")
    /// A proof could not be signed, or a server refused it for good: the request failed, and the session goes on.
    public static let proofFailed = Self("proofFailed")
    /// New tokens are not bound to a key, and the client was told to accept that: see ``TokenBindingFallback``.
    public static let bindingDowngraded = Self("bindingDowngraded")
}
