// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthClient
import OAuthSystem
import StrictJSON
import Synchronization

/// The attester of the demo: signs, for each key that it is shown, that it belongs to a copy of the app
/// (draft-ietf-oauth-attestation-based-client-auth-11 section 4).
///
/// A real one looks at evidence first, as ``DemoTPMAttester`` does; see `keybound attester`.
final class DemoAttester: ClientAttester {
    private static let name = "demo"
    private static let lifetime: Int64 = 3600

    private let key: SoftwareSigningKey
    private let newest = Mutex<String?>(nil)

    init() throws {
        key = try SoftwareSigningKey()
    }

    /// The newest attestation, which an attacker may have read on the device.
    var lastIssued: String? { newest.withLock { $0 } }

    /// What the server is told about the attester.
    func trusted(for clientID: String) -> TrustedAttester {
        TrustedAttester(
            name: Self.name,
            keys: JWKSet([key.publicKey.named(Self.name, algorithm: key.algorithm)]),
            clients: [clientID]
        )
    }

    func attestation(of key: any SigningKey, for clientID: String) async throws -> String {
        let now = SystemWallClock().now().secondsSince1970
        let claims: JSONObject = [
            "sub": .string(clientID), "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + Self.lifetime)),
            "cnf": ["jwk": .object(key.publicKey.json)],
        ]
        let attestation = try await CompactJWS.sign(
            header: ["typ": "oauth-client-attestation+jwt", "kid": .string(Self.name)],
            payload: JSONValue.object(claims).encoded(),
            with: self.key
        )
        newest.withLock { $0 = attestation }
        return attestation
    }
}
