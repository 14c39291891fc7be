// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import SigningKeys
import StrictJSON

/// Which evidence an attester accepts, by its format.
struct EvidencePolicy: Sendable {
    /// Whether possession of the key is enough.
    var allowsUnproven = false
    /// The TPM's names of the attestation keys that are known to belong to TPMs: 34 bytes each.
    var attestationKeys: Set<[UInt8]> = []
    /// The token whose keys it can look at; `nil` for none.
    var token: PKCS11KeyStore?

    /// What the evidence of a request proves about its key.
    ///
    /// Where unproven keys are allowed, evidence that cannot be checked counts as none: without it the same key would be
    /// attested. Evidence that is wrong is always refused.
    func protection(_ request: AttestationRequest) async throws(AttesterRefusal) -> AttestationIssuer.KeyProtection {
        switch request.evidence["format"]?.stringValue {
        case "none":
            return try unproven("there is no evidence, and --allow-unproven was not given")
        case "tpm2-certify": return try ofTPM(request)
        case "pkcs11": return try await ofToken(request)
        default: throw AttesterRefusal(.evidenceRefused, "the format of the evidence is not known")
        }
    }

    private func ofTPM(_ request: AttestationRequest) throws(AttesterRefusal) -> AttestationIssuer.KeyProtection {
        guard let challenge = try? Base64URL.decode(request.challenge) else {
            throw AttesterRefusal(.invalidChallenge, "the challenge is not base64url")
        }
        let verified: TPMKeyEvidence.Verified
        do {
            verified = try TPMKeyEvidence(parsing: request.evidence).verify(challenge: challenge)
        } catch {
            throw AttesterRefusal(.evidenceRefused, error.reason)
        }
        try Self.require(verified.key, toBe: request.key)
        guard attestationKeys.contains(verified.attestationKeyName) else {
            return try unproven("the attestation key is not one of --attestation-key")
        }
        return .hardware
    }

    private func unproven(_ reason: String) throws(AttesterRefusal) -> AttestationIssuer.KeyProtection {
        guard allowsUnproven else { throw AttesterRefusal(.evidenceRefused, reason) }
        return .unproven
    }

    private func ofToken(
        _ request: AttestationRequest
    ) async throws(AttesterRefusal) -> AttestationIssuer.KeyProtection {
        guard let token else { return try unproven("no token is open: give --evidence-token") }
        guard let label = request.evidence["label"]?.stringValue, let alias = try? KeyAlias(label) else {
            throw AttesterRefusal(.evidenceRefused, "'label' is not the label of a key")
        }
        let found: (publicKey: JWK, protection: KeyProtection, neverLeft: Bool)?
        do {
            // Anybody may name any key of the token: another one than that of the request must not be used.
            found = try await token.origin(of: alias, expecting: request.key)
        } catch {
            throw AttesterRefusal(.failed, "the token cannot be used: \(error.reason)")
        }
        guard let found else { return try unproven("the token has no key of that label") }
        try Self.require(found.publicKey, toBe: request.key)
        guard found.neverLeft else { return try unproven("the key may have left the token") }
        // A token in software says the same of its keys as one in hardware.
        return found.protection == .hardwareBound ? .hardware : .software
    }

    private static func require(_ key: JWK, toBe other: JWK) throws(AttesterRefusal) {
        guard key.thumbprint == other.thumbprint else {
            throw AttesterRefusal(.evidenceRefused, "the evidence is about another key than the one that signed")
        }
    }
}
#endif
