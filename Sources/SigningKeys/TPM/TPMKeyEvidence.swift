// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import StrictJSON

/// A TPM's statement about a key, as a verifier receives it; verified without a TPM, on any platform.
///
/// It proves that the key was made in a TPM and cannot leave it, if the attestation key is that of a TPM. Whether it is,
/// the verifier must know by other means: see <doc:KeysInATPM>.
///
/// ## Specification
///
/// TCG Trusted Platform Module Library 2.0, Part 2 sections 8.3, 10.12 and 12.2, Part 3: TPM2_Certify
public struct TPMKeyEvidence: Sendable, Hashable {
    /// What is wrong with evidence.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong, in one sentence without a final full stop.
        public let reason: String

        /// The reason.
        public var description: String { reason }
    }

    /// A key that a TPM holds, and who says so.
    public struct Verified: Sendable, Hashable {
        /// The key.
        public let key: JWK
        /// The TPM's name of the key that signed the statement: 34 bytes.
        public let attestationKeyName: [UInt8]
    }

    /// The largest part, in bytes.
    private static let maximumPartCount = 1024

    private let statement: [UInt8]
    private let signature: [UInt8]
    private let publicArea: [UInt8]
    private let attestationKey: [UInt8]

    /// Reads evidence from JSON.
    ///
    /// - Parameter object: The members `statement`, `signature`, `public_area` and `attestation_key`, each in base64url:
    ///   a `TPMS_ATTEST`, an ES256 signature in JWS format, and two `TPM2B_PUBLIC`. Others are ignored.
    /// - Throws: ``Failure`` for a missing or malformed member, or one of more than 1024 bytes.
    public init(parsing object: JSONObject) throws(Failure) {
        statement = try Self.bytes("statement", of: object)
        signature = try Self.bytes("signature", of: object)
        publicArea = try Self.bytes("public_area", of: object)
        attestationKey = try Self.bytes("attestation_key", of: object)
    }

    private static func bytes(_ name: String, of object: JSONObject) throws(Failure) -> [UInt8] {
        guard let text = object[name]?.stringValue, text.utf8.count <= maximumPartCount * 4 / 3 + 4,
            let bytes = try? Base64URL.decode(text)
        else { throw Failure(reason: "'\(name)' is no base64url of at most \(maximumPartCount) bytes") }
        return bytes
    }

    /// Verifies the statement: the signature, the challenge, the name and the attributes of both keys.
    ///
    /// - Parameter challenge: The challenge that the statement must contain: at most 32 bytes.
    /// - Returns: The key, and the name of the key that signed the statement, which the caller must know.
    /// - Throws: ``Failure``.
    public func verify(challenge: [UInt8]) throws(Failure) -> Verified {
        guard let signer = TPMPublicKeyArea(attestationKey) else {
            throw Failure(reason: "the attestation key is no signing key of a TPM")
        }
        // A restricted key signs nothing from outside that looks like a statement of the TPM.
        guard signer.attributes.isSuperset(of: [.restricted, .sign, .neverLeaves]),
            !signer.attributes.contains(.decrypt)
        else { throw Failure(reason: "the attestation key could sign what no TPM said") }
        guard signer.key.fits(.es256), signer.key.isValidSignature(signature, for: statement, algorithm: .es256) else {
            throw Failure(reason: "the signature of the statement does not verify")
        }
        guard let area = TPMPublicKeyArea(publicArea) else {
            throw Failure(reason: "the public area is not that of a signing key")
        }
        guard let contents = TPMStatement(statement) else { throw Failure(reason: "the statement is not about a key") }
        guard contents.challenge == challenge else { throw Failure(reason: "the statement has another challenge") }
        guard contents.name == area.name else { throw Failure(reason: "the statement is about another key") }
        guard area.attributes.isSuperset(of: [.sign, .neverLeaves]) else {
            throw Failure(reason: "the key was not made in the TPM, or can leave it")
        }
        return Verified(key: area.key, attestationKeyName: signer.name)
    }
}

#if os(Linux)
extension TPMKeyAttestation {
    /// The statement as evidence for an attester: what ``TPMKeyEvidence/init(parsing:)`` reads.
    public var evidence: JSONObject {
        [
            "statement": .string(Base64URL.encode(statement)), "signature": .string(Base64URL.encode(signature)),
            "public_area": .string(Base64URL.encode(publicArea)),
            "attestation_key": .string(Base64URL.encode(attestationKeyArea)),
        ]
    }
}
#endif
