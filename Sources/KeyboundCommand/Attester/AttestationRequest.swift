// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthClient
import StrictJSON

/// A request for an attestation, signed with the key to attest.
struct AttestationRequest: Sendable {
    /// In characters.
    private static let maximumLength = 8192

    let clientID: String
    /// The key to attest, whose signature has been verified.
    let key: JWK
    let challenge: String
    let evidence: JSONObject
    private let audience: String?
    private let evidenceHash: String?

    /// Reads the body of a request, and verifies its signature.
    init(parsing body: [UInt8]) throws(AttesterRefusal) {
        guard let object = (try? JSONValue(parsing: body))?.objectValue,
            let clientID = object["client_id"]?.stringValue, let text = object["request"]?.stringValue,
            let evidence = object["evidence"]?.objectValue
        else { throw AttesterRefusal(.invalidRequest, "the body is not an attestation request") }
        guard let jws = try? CompactJWS(parsing: text, maximumLength: Self.maximumLength),
            jws.header["typ"]?.stringValue == HTTPClientAttester.requestType
        else { throw AttesterRefusal(.invalidRequest, "'request' is not a JWS of the required type") }
        guard let member = jws.header["jwk"]?.objectValue, let key = try? JWK(parsing: member) else {
            throw AttesterRefusal(.invalidRequest, "'request' has no public key")
        }
        do {
            try jws.verify(with: key, allowing: Self.algorithms)
        } catch {
            throw AttesterRefusal(.invalidRequest, "'request' is not signed with its key")
        }
        guard let claims = try? jws.payloadObject(), let challenge = claims["challenge"]?.stringValue,
            case .number? = claims["iat"]
        else { throw AttesterRefusal(.invalidRequest, "'request' has no challenge, or no time") }
        (self.clientID, self.key, self.challenge, self.evidence) = (clientID, key, challenge, evidence)
        audience = claims["aud"]?.stringValue
        evidenceHash = claims["evidence_hash"]?.stringValue
    }

    /// What clients sign DPoP proofs with.
    private static let algorithms: Set<SignatureAlgorithm> = [.es256, .es384, .edDSA, .ed25519, .ps256, .rs256]

    /// Whether the request is for this attester, and its evidence was sent by the holder of the key.
    func check(isFor address: String) throws(AttesterRefusal) {
        guard audience == address else { throw AttesterRefusal(.invalidRequest, "'request' is for another attester") }
        guard evidenceHash == HTTPClientAttester.hash(of: evidence) else {
            throw AttesterRefusal(.invalidRequest, "the evidence is not the one that was signed")
        }
    }
}
