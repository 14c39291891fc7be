// SPDX-License-Identifier: Apache-2.0

public import JOSE

extension OAuth2Client {
    /// The protection that the key of a new sign-in would probably have, when that is better than what the account has now.
    ///
    /// A key never moves, so this is an offer for the user: whoever takes it signs out (``OAuthSession/signOut()``, which deletes the
    /// key) and signs in again, with a new key for new tokens. A key store that chooses, a `KeyManager`, answers; others never
    /// have a better offer.
    ///
    /// - Returns: The protection; `nil` when there is no key yet, no better one to be had, or nothing is bound.
    /// - Throws: ``OAuthClientError/Code/keyUnavailable``.
    public func offersStrongerKey() async throws(OAuthClientError) -> KeyProtection? {
        try await keyring.strongerProtection()
    }
}

extension OAuthSession {
    /// How hard the key is to copy that the tokens are bound to.
    ///
    /// - Returns: The protection, as the key says it; `nil` for tokens that are not bound.
    /// - Throws: ``OAuthClientError/Code/sessionEnded``, ``OAuthClientError/Code/keyMissing``,
    ///   ``OAuthClientError/Code/keyMismatch``, ``OAuthClientError/Code/keyUnavailable``.
    public func keyProtection() async throws(OAuthClientError) -> KeyProtection? {
        try await client.keyring.protection(boundTo: tokenManager.signedInTokens().keyThumbprint)
    }
}
