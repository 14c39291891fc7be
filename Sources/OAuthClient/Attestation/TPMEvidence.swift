// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import JOSE
public import SigningKeys
public import StrictJSON

/// The TPM's statement that it holds the key of the app, and that the key cannot leave it.
public struct TPMEvidence: AttestationEvidence {
    private let store: TPMKeyStore

    /// Makes it.
    ///
    /// - Parameter store: The store that has the key of the app.
    public init(_ store: TPMKeyStore) {
        self.store = store
    }

    /// Evidence of the format `tpm2-certify`.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - challenge: The challenge of the attester.
    /// - Returns: The statement, its signature, and the public areas of both keys.
    /// - Throws: ``/SigningKeys/KeyStoreError``; ``OAuthClientError/Code/keyMissing`` if the store does not have the key;
    ///   ``OAuthClientError/Code/attestationFailed`` if the challenge is no base64url.
    public func evidence(about key: any SigningKey, challenge: String) async throws -> JSONObject {
        guard let bytes = try? Base64URL.decode(challenge) else {
            throw OAuthClientError(.attestationFailed, "the challenge of the attester is no base64url")
        }
        guard let alias = try await store.alias(of: key.publicKey),
            let attestation = try await store.attestation(of: alias, challenge: bytes)
        else { throw OAuthClientError(.keyMissing, "the TPM does not have the key") }
        var evidence: JSONObject = ["format": "tpm2-certify"]
        for member in attestation.evidence.members { evidence[member.name] = member.value }
        return evidence
    }
}
#endif
