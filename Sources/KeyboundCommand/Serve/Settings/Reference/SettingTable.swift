// SPDX-License-Identifier: Apache-2.0

/// Every setting of `keybound serve`.
///
/// A new one needs a declaration in the file of its topic and a place in ``all``.
extension Setting {
    /// Every setting, in the order of the reference.
    static let all: [Setting] =
        [
            issuer, listen, audience, serverName, scopes, dataDirectory, database, keyDirectory, keyCredential,
            keyCredentialFile, keyCredentialDescriptor, unencryptedKeyFile, noncePolicy, replayStore,
            requirePushedRequests, insecureLoopbackIssuer, drainTimeout, codeLifetime, accessTokenLifetime,
            refreshTokenLifetime, grantLifetime, requestLifetime, sessionLifetime, deviceCodeLifetime, refreshGrace,
            keyRotation, keyPublication,
        ] + signingKeyPlaces + operations + pages + requests + attestation + firstParty + unregisteredClients + profiles

    /// What operator commands need to find the database.
    static let storage: [Setting] = [dataDirectory, database]

    /// What operator commands need to open the keys.
    static let keyProtection: [Setting] =
        [keyDirectory, keyCredential, keyCredentialFile, keyCredentialDescriptor, unencryptedKeyFile] + signingKeyPlaces
}
