// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import StrictJSON
import TestSupport

/// A service that attests keys of clients, and never looks at them.
struct FakeAttester: Sendable {
    let name: String
    let key: SoftwareSigningKey
    var keyID = "attester-1"

    /// The attester of the clients `notes` and `shop`.
    static func ofTheApps() throws -> FakeAttester {
        FakeAttester(name: "apps", key: try TestKey.p256(20))
    }

    /// How servers are told about it.
    func trusted(for clients: [String]) -> TrustedAttester {
        TrustedAttester(name: name, keys: JWKSet([key.publicKey.named(keyID, algorithm: nil)]), clients: clients)
    }

    /// The claims of an attestation that is issued at a time and good for an hour.
    static func claims(of key: JWK, for clientID: String, at now: Timestamp) -> JSONObject {
        [
            "sub": .string(clientID), "iat": .number(JSONNumber(now.secondsSince1970)),
            "exp": .number(JSONNumber(now.secondsSince1970 + 3600)), "cnf": ["jwk": .object(key.json)],
        ]
    }

    /// Signs claims, with the changes of a test to the header.
    func sign(_ claims: JSONObject, header change: (inout JSONObject) -> Void = { _ in }) async throws -> String {
        var header: JSONObject = ["typ": "oauth-client-attestation+jwt", "kid": .string(keyID)]
        change(&header)
        return try await CompactJWS.sign(header: header, payload: JSONValue.object(claims).encoded(), with: key)
    }
}
