// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import OAuthSystem
import StrictJSON

/// Signs client attestations (draft-ietf-oauth-attestation-based-client-auth-11 section 4).
struct AttestationIssuer: Sendable {
    /// What was proven about how a key is kept: `key_protection` of an attestation, a claim of our own.
    enum KeyProtection: String, Sendable {
        case hardware
        case software
        case unproven
    }

    let key: any SigningKey
    let clients: [String]
    /// In whole seconds.
    let lifetime: Duration

    /// The public half, for the configuration of authorization servers.
    var keySet: JWKSet {
        JWKSet([key.publicKey.named(keyID, algorithm: key.algorithm)])
    }

    private var keyID: String { key.publicKey.thumbprint.description }

    func speaks(for clientID: String) -> Bool {
        clients.contains { $0.utf8.elementsEqual(clientID.utf8) }
    }

    /// Attests a key.
    func attestation(
        of attested: JWK,
        for clientID: String,
        _ protection: KeyProtection,
        at now: Timestamp
    ) async throws -> String {
        let claims: JSONObject = [
            "sub": .string(clientID), "iat": .number(JSONNumber(now.secondsSince1970)),
            "exp": .number(JSONNumber((now + lifetime).secondsSince1970)),
            "cnf": ["jwk": .object(attested.json)], "key_protection": .string(protection.rawValue),
        ]
        return try await CompactJWS.sign(
            header: ["typ": "oauth-client-attestation+jwt", "kid": .string(keyID)],
            payload: JSONValue.object(claims).encoded(),
            with: key
        )
    }
}
