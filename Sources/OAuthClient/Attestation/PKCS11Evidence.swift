// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import JOSE
public import SigningKeys
public import StrictJSON

/// The name of the app's key in a token that its attester has open too, and looks the key up in.
///
/// A PKCS #11 token states nothing about its keys that another machine could verify. An attester that shares the token,
/// such as a network HSM, reads the key's attributes itself.
public struct PKCS11Evidence: AttestationEvidence {
    private let store: PKCS11KeyStore

    /// Makes it.
    ///
    /// - Parameter store: The store that has the key of the app.
    public init(_ store: PKCS11KeyStore) {
        self.store = store
    }

    /// Evidence of the format `pkcs11`.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - challenge: The challenge of the attester, which only the key itself signs.
    /// - Returns: The label of the key.
    /// - Throws: ``/SigningKeys/KeyStoreError``; ``OAuthClientError/Code/keyMissing`` if the token does not have the key.
    public func evidence(about key: any SigningKey, challenge: String) async throws -> JSONObject {
        guard let alias = try await store.alias(of: key.publicKey) else {
            throw OAuthClientError(.keyMissing, "the token does not have the key")
        }
        return ["format": "pkcs11", "label": .string(alias.text)]
    }
}
#endif
