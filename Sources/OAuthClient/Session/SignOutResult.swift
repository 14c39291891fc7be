// SPDX-License-Identifier: Apache-2.0

/// What a sign-out did.
public struct SignOutResult: Sendable {
    /// What became of the tokens at the server.
    public enum AtServer: Sendable {
        /// The server revoked them.
        case revoked
        /// The server has no revocation endpoint: they stay valid until they expire.
        case unsupported
        /// The server could not be told; ``OAuth2Client/restoreSession(checkingKey:)`` tries again, for seven days, and so do
        /// an ``AccountManager`` and the next start of a service.
        case pending(OAuthClientError)
        /// The server refused to revoke them: they stay valid until they expire.
        case failed(OAuthClientError)
        /// There were no tokens.
        case none
    }

    /// What became of something on this device.
    public enum OnDevice: Sendable {
        /// It is deleted, or marked as ended so that no session is made of it.
        case deleted
        /// It could not be deleted.
        case kept(OAuthClientError)
        /// It belongs to a newer session, or there was none.
        case none
    }

    /// Whether there was a session to end; `false` for one that had ended before.
    public let wasSignedIn: Bool
    /// What became of the tokens at the server.
    public let atServer: AtServer
    /// What became of the tokens on this device.
    public let tokens: OnDevice
    /// What became of the key.
    public let key: OnDevice
    /// The page that ends the user's session at the server, for a browser; `nil` if the server has none, the user signed in
    /// without `openid`, or the metadata of the server are not known now.
    ///
    /// It leads to no redirect URI; for that, see ``OAuthSession/signOut(using:postLogoutRedirectURI:)``.
    public internal(set) var endSessionURL: BrowserURL?

    /// The most important failure: tokens that are still on this device, then a server that was not told or refused, then
    /// a key that was not deleted; `nil` if all went well.
    public var failure: OAuthClientError? {
        if case .kept(let error) = tokens { return error }
        switch atServer {
        case .pending(let error), .failed(let error): return error
        case .revoked, .unsupported, .none: break
        }
        if case .kept(let error) = key { return error }
        return nil
    }

    static let ofNoSession = SignOutResult(wasSignedIn: false, atServer: .none, tokens: .none, key: .none)
}
