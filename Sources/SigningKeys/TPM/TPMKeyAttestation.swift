// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CTSS2
public import JOSE
import StrictJSON

/// What a TPM states about a key that it holds, signed by its attestation key (TPM2_Certify).
///
/// The attestation key is restricted: it signs nothing but what the TPM itself says. It is a key of the endorsement hierarchy that this TPM
/// makes the same each time, until its maker's seed is changed. Signature and contents were checked when this was made. Whoever
/// gets it from somebody else has to check both, and that the attestation key is one of a TPM at all: see <doc:KeysInATPM>.
///
/// ## Specification
///
/// TCG Trusted Platform Module Library 2.0, Part 2 section 10.12, Part 3: TPM2_Certify
public struct TPMKeyAttestation: Sendable, Hashable {
    /// The most octets that a challenge may have.
    public static let maximumChallengeCount = 32

    /// That a TPM made the structure, and what it is about (TPM 2.0 Part 2 sections 6.2 and 6.9).
    private static let head = TPMOctets.of(generatedValue) + TPMOctets.of(TPM2_ST_ATTEST_CERTIFY)
    /// `TPM_GENERATED_VALUE`, which the header has in a form that Swift does not read.
    private static let generatedValue: TPM2_GENERATED = 0xFF54_4347
    /// `TPMS_CLOCK_INFO` and the version of the firmware (sections 10.11.1 and 10.12.12).
    private static let clockAndFirmwareCount = 25

    /// The statement, a `TPMS_ATTEST`: the challenge and the name of the key are in it.
    public let statement: [UInt8]
    /// The signature over the statement: ES256 in the form of JWS, r and s with 32 octets each.
    public let signature: [UInt8]
    /// The public area of the key, a `TPM2B_PUBLIC`: its attributes, and the hash of which is the key's name.
    public let publicArea: [UInt8]
    /// The key that signed the statement.
    public let attestationKey: JWK
    /// The public area of the key that signed the statement, a `TPM2B_PUBLIC`.
    public let attestationKeyArea: [UInt8]
    /// The name of the key that signed the statement: what a credential is made for (TPM2_MakeCredential).
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
        guard Self.contents(statement) == .init(challenge: challenge, name: key.name) else {
            throw KeyStoreError(.deviceFailed, "the TPM stated something else than it was asked for")
        }
        (self.statement, self.signature) = (statement, signature)
        (publicArea, attestationKeyArea, attestationKeyName) = (key.encoded, signer.encoded, signer.name)
    }

    /// The parts, for people who send them on: octets in base64url, names in hexadecimal digits.
    public var facts: [KeyFact] {
        [
            KeyFact("statement", Base64URL.encode(statement)),
            KeyFact("statement signature", Base64URL.encode(signature)),
            KeyFact("public area", Base64URL.encode(publicArea)),
            KeyFact("attestation key", Base64URL.encode(attestationKeyArea)),
            KeyFact("attestation key name", hexadecimal: attestationKeyName),
        ]
    }

    /// What is looked at in a statement.
    struct Contents: Equatable {
        let challenge: [UInt8]
        let name: [UInt8]
    }

    /// Reads a `TPMS_ATTEST` about a key; `nil` when it is about something else, or has not that form.
    static func contents(_ statement: [UInt8]) -> Contents? {
        guard statement.starts(with: head) else { return nil }
        var rest = statement.dropFirst(head.count)
        // The qualified name of the signer, then what the asker gave.
        guard TPMOctets.takeSized(&rest) != nil, let challenge = TPMOctets.takeSized(&rest),
            rest.count >= clockAndFirmwareCount
        else { return nil }
        rest = rest.dropFirst(clockAndFirmwareCount)
        // The name of the key, and its qualified name.
        guard let name = TPMOctets.takeSized(&rest), TPMOctets.takeSized(&rest) != nil, rest.isEmpty else { return nil }
        return Contents(challenge: Array(challenge), name: Array(name))
    }
}
#endif
