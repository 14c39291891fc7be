// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// What a connection to a database looks up, one record at a time.
///
/// Its extension makes the reads of ``RequestReadStore`` of it, within one snapshot that the driver opens.
package protocol RecordLookups {
    /// A client.
    func client(_ clientID: String) throws(StorageError) -> RegisteredClient?

    /// The account with a user name.
    func user(named username: String) throws(StorageError) -> UserAccount?

    /// The account with a subject.
    func user(subject: String) throws(StorageError) -> UserAccount?

    /// A session that has not expired.
    func session(_ idHash: SecretHash, at now: Timestamp) throws(StorageError) -> BrowserSession?

    /// A consent.
    func consent(
        of subject: String,
        to clientID: String,
        details detailsHash: SecretHash
    ) throws(StorageError) -> StoredConsent?

    /// A request that can be used.
    func request(_ referenceHash: SecretHash, at now: Timestamp) throws(StorageError) -> StoredAuthorizationRequest?

    /// A code, also one that is used or has expired.
    func code(_ codeHash: SecretHash) throws(StorageError) -> StoredCode?

    /// The refresh tokens of the grant that a token names; `nil` if it is not of their family.
    func refresh(of token: GrantSecret) throws(StorageError) -> GrantRefreshTokens?

    /// A device authorization, also one that is decided or has expired.
    func device(_ deviceCodeHash: SecretHash) throws(StorageError) -> StoredDeviceAuthorization?

    /// The state of a device code, and the identifier of its grant.
    func deviceState(
        _ deviceCodeHash: SecretHash
    ) throws(StorageError) -> (grantID: String, state: DeviceCodeState)?

    /// An access token that has not expired, and whose grant was not revoked itself.
    func liveAccessToken(_ tokenHash: SecretHash, at now: Timestamp) throws(StorageError) -> StoredAccessToken?

    /// A grant that was not revoked itself.
    func grant(_ id: String) throws(StorageError) -> Grant?

    /// A session without a browser that has not ended, but may have expired.
    func firstPartySession(_ id: String) throws(StorageError) -> StoredFirstPartySession?

    /// Whether a user signed in before with the key and the client of a request.
    func knowsKey(of request: AuthorizationRequest?, subject: String, at now: Timestamp) throws(StorageError) -> Bool
}
