// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import StrictJSON

/// The JWT by which a client proves possession of a key (RFC 7523 section 3, OpenID Connect Core section 9).
struct ClientAssertion {
    /// `client_assertion_type`.
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// In seconds: long enough for a slow connection.
    private static let lifetime: Int64 = 60

    private let payload: [UInt8]

    /// Makes an assertion with its own `jti`, for one request.
    init(clientID: String, audience: String, now: Timestamp, entropy: any Entropy) {
        let issuedAt = now.secondsSince1970
        let claims: JSONObject = [
            "iss": .string(clientID), "sub": .string(clientID),
            // One audience, which no data of the server can change: otherwise one server could use the assertion at
            // another.
            "aud": .string(audience),
            "jti": .string(Base64URL.encode(entropy.bytes(16))),
            "iat": .number(JSONNumber(issuedAt)), "exp": .number(JSONNumber(issuedAt + Self.lifetime)),
        ]
        payload = JSONValue.object(claims).encoded()
    }

    func signed(with key: some SigningKey, keyID: String?) async throws(OAuthClientError) -> String {
        var header: JSONObject = ["typ": "JWT"]
        header["kid"] = keyID.map { .string($0) }
        do {
            return try await CompactJWS.sign(header: header, payload: payload, with: key)
        } catch {
            throw OAuthClientError(.keyUnavailable, "the key of the client did not sign", underlying: error)
        }
    }

    func authenticated(with key: ClientSecretKey) -> String {
        key.authenticate(header: ["typ": "JWT"], payload: payload)
    }
}
