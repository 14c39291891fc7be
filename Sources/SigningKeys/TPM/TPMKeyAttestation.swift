// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import JOSE
import StrictJSON

/// A TPM's statement about a key that it holds, signed by its attestation key (TPM2_Certify).
///
/// The attestation key is restricted: it signs only data that the TPM itself makes. It is a key of the endorsement
/// hierarchy. This TPM derives the same key each time, until the endorsement seed is changed. Signature and contents
/// were verified when this value was made. A receiver verifies both again with ``TPMKeyEvidence``, and has to know that the
/// attestation key belongs to a TPM at all: see <doc:KeysInATPM>.
///
/// ## Specification
///
/// TCG Trusted Platform Module Library 2.0, Part 2 section 10.12, Part 3: TPM2_Certify
public struct TPMKeyAttestation: Sendable, Hashable {
    /// The maximum size of a challenge in bytes.
    public static let maximumChallengeCount = 32

    /// The statement, a `TPMS_ATTEST`; it contains the challenge and the name of the key.
    public let statement: [UInt8]
    /// The signature over the statement: ES256 in JWS format, r and s with 32 bytes each.
    public let signature: [UInt8]
    /// The public area of the key, a `TPM2B_PUBLIC`: its attributes; the key's name is a hash of it.
    public let publicArea: [UInt8]
    /// The key that signed the statement.
    public let attestationKey: JWK
    /// The public area of the key that signed the statement, a `TPM2B_PUBLIC`.
    public let attestationKeyArea: [UInt8]
    /// The name of the key that signed the statement, for which a credential is made (TPM2_MakeCredential).
    public let attestationKeyName: [UInt8]

    init(
        _ statement: [UInt8],
        signature: [UInt8],
        signer: TPMPublicArea,
        about key: TPMPublicArea,
        challenge: [UInt8]
    ) throws(KeyStoreError) {
        attestationKey = try signer.publicKey()
        guard attestationKey.isValidSignature(signature, for: statement, algorithm: .es256) else {
            throw KeyStoreError(.deviceFailed, "the TPM made a statement whose signature is not valid")
        }
        guard TPMStatement(statement) == TPMStatement(challenge: challenge, name: key.name) else {
            throw KeyStoreError(.deviceFailed, "the TPM stated something else than it was asked for")
        }
        (self.statement, self.signature) = (statement, signature)
        (publicArea, attestationKeyArea, attestationKeyName) = (key.encoded, signer.encoded, signer.name)
    }

    /// The parts, to send them on: bytes in base64url, names in hexadecimal digits.
    public var facts: [KeyFact] {
        [
            KeyFact("statement", Base64URL.encode(statement)),
            KeyFact("statement signature", Base64URL.encode(signature)),
            KeyFact("public area", Base64URL.encode(publicArea)),
            KeyFact("attestation key", Base64URL.encode(attestationKeyArea)),
            KeyFact("attestation key name", hexadecimal: attestationKeyName),
        ]
    }
}
#endif
