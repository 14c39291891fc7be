// SPDX-License-Identifier: Apache-2.0

public import JOSE

extension OAuth2Client {
    /// The protection that the key of a new sign-in would probably have, if it is better than the current one.
    ///
    /// A key never moves, so offer this to the user: accepting means to sign out (``OAuthSession/signOut()``, which
    /// deletes the key) and to sign in again, with a new key for new tokens. Only a key store that chooses between
    /// several, a `KeyManager`, can have a better offer.
    ///
    /// - Returns: The protection; `nil` when there is no key yet, no better one is available, or tokens are not bound.
    /// - Throws: ``OAuthClientError/Code/keyUnavailable``.
    public func offersStrongerKey() async throws(OAuthClientError) -> KeyProtection? {
        try await keyring.strongerProtection()
    }
}

extension OAuthSession {
    /// How hard it is to copy the key that the tokens are bound to.
    ///
    /// - Returns: The protection, as the key reports it; `nil` for tokens that are not bound.
    /// - Throws: ``OAuthClientError/Code/sessionEnded``, ``OAuthClientError/Code/keyMissing``,
    ///   ``OAuthClientError/Code/keyMismatch``, ``OAuthClientError/Code/keyUnavailable``.
    public func keyProtection() async throws(OAuthClientError) -> KeyProtection? {
        try await client.keyring.protection(boundTo: tokenManager.signedInTokens().keyThumbprint)
    }
}
