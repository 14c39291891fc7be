// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthClient
import OAuthSystem
import SigningKeys
import StrictJSON

/// The attester of a demo whose keys are in a TPM: it attests a key only after the TPM's own statement that the key was made
/// there and cannot leave.
///
/// It takes any TPM; `keybound attester serve` takes those whose attestation keys its operator has listed.
struct DemoTPMAttester: ClientAttester {
    private let attester: DemoAttester
    private let store: TPMKeyStore
    private let transcript: Transcript

    /// `nil` if the keys are elsewhere.
    init?(_ attester: DemoAttester, for key: DemoKey, _ transcript: Transcript) {
        guard let store = key.store as? TPMKeyStore else { return nil }
        (self.attester, self.store, self.transcript) = (attester, store, transcript)
    }

    func attestation(of key: any SigningKey, for clientID: String) async throws -> String {
        let challenge = SystemEntropy().bytes(32)
        let evidence = try await TPMEvidence(store).evidence(about: key, challenge: Base64URL.encode(challenge))
        let verified = try TPMKeyEvidence(parsing: evidence).verify(challenge: challenge)
        guard verified.key.thumbprint == key.publicKey.thumbprint else {
            throw CommandFailure(.failure, "the TPM made its statement about another key")
        }
        transcript.verdict(true, "the TPM states that it made the key of the app, and that the key cannot leave it")
        return try await attester.attestation(of: key, for: clientID)
    }
}
#endif
