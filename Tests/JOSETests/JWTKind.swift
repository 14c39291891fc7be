// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

/// A kind of JWT that the roles of OAuth and OpenID Connect exchange, as an honest issuer makes it.
struct JWTKind: Sendable, CustomTestStringConvertible {
    static let server = "https://auth.example.com"
    static let client = "app"
    static let api = "https://api.example.com"
    static let nonce = "n-0S6_WzA2Mj"
    static let time: Int64 = 1_790_000_000
    static let now = Timestamp(secondsSince1970: time)

    let testDescription: String
    let type: String?
    var claims: JSONObject
    /// What accepts it; `nil` for kinds that nothing here validates.
    let validation: JWTValidation?

    init(_ name: String, type: String?, for validation: JWTValidation? = nil, _ claims: JSONObject) {
        testDescription = "\(name), typ \(type ?? "missing")"
        self.type = type
        self.claims = claims
        self.validation = validation
    }

    /// The token, signed by a key that every validator here trusts: only its kind is wrong.
    func token(_ change: (inout JSONObject) -> Void = { _ in }) async throws -> String {
        var claims = claims
        change(&claims)
        return try await RawJWS.sign(
            header: JSONValue.object(header("ES256")).encoded(),
            payload: JSONValue.object(claims).encoded(),
            with: TestKey.p256()
        )
    }

    func header(_ algorithm: String) -> JSONObject {
        var header: JSONObject = ["alg": .string(algorithm), "kid": "one"]
        header["typ"] = type.map { .string($0) }
        return header
    }

    static let accessToken = JWTValidation.accessToken(issuer: server, audience: api)
    static let idToken = JWTValidation.idToken(issuer: server, clientID: client, nonce: nonce)
    static let idTokenOfRefresh = JWTValidation.idToken(issuer: server, clientID: client, nonce: nil)
    static let clientAssertion = JWTValidation.clientAssertion(clientID: client, issuer: server)
    static let requestObject = JWTValidation.requestObject(clientID: client, issuer: server)
    static let authorizationResponse = JWTValidation.authorizationResponse(issuer: server, clientID: client)
    static let clientAttestation = JWTValidation.clientAttestation(clientID: client)
    static let validations = [
        accessToken, idToken, idTokenOfRefresh, clientAssertion, requestObject, authorizationResponse,
        clientAttestation,
    ]

    private static func seconds(_ offset: Int64) -> JSONValue { .number(JSONNumber(time + offset)) }

    private static let idTokenClaims: JSONObject = [
        "iss": .string(server), "aud": .string(client), "sub": "ada", "iat": seconds(0), "exp": seconds(60),
        "nonce": .string(nonce), "auth_time": seconds(-5),
    ]
    private static let assertionClaims: JSONObject = [
        "iss": .string(client), "sub": .string(client), "aud": .string(server), "jti": "a-1", "iat": seconds(0),
        "exp": seconds(60),
    ]
    private static let responseClaims: JSONObject = [
        "iss": .string(server), "aud": .string(client), "exp": seconds(60), "code": "c", "state": "s",
    ]
    private static let logoutClaims: JSONObject = [
        "iss": .string(server), "aud": .string(client), "sub": "ada", "iat": seconds(0), "exp": seconds(60),
        "jti": "l-1", "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
    ]

    /// The kinds that a validator of ours accepts.
    static let accepted: [JWTKind] = [
        JWTKind(
            "access token",
            type: "at+jwt",
            for: accessToken,
            [
                "iss": .string(server), "aud": .string(api), "sub": "ada", "client_id": .string(client),
                "iat": seconds(0), "exp": seconds(60), "jti": "t-1", "scope": "api:read",
            ]
        ),
        JWTKind("id_token", type: nil, for: idToken, idTokenClaims),
        JWTKind("id_token", type: "JWT", for: idToken, idTokenClaims),
        JWTKind("client assertion", type: nil, for: clientAssertion, assertionClaims),
        JWTKind("client assertion", type: "JWT", for: clientAssertion, assertionClaims),
        JWTKind("client assertion", type: "client-authentication+jwt", for: clientAssertion, assertionClaims),
        JWTKind(
            "request object",
            type: "oauth-authz-req+jwt",
            for: requestObject,
            [
                "iss": .string(client), "aud": .string(server), "client_id": .string(client), "nbf": seconds(0),
                "exp": seconds(60), "jti": "r-1", "response_type": "code", "nonce": .string(nonce),
                "redirect_uri": "https://app.example.com/callback",
            ]
        ),
        JWTKind("JARM response", type: nil, for: authorizationResponse, responseClaims),
        JWTKind("JARM response", type: "JWT", for: authorizationResponse, responseClaims),
        JWTKind(
            "client attestation",
            type: "oauth-client-attestation+jwt",
            for: clientAttestation,
            ["sub": .string(client), "iat": seconds(0), "exp": seconds(60), "cnf": ["jwk": [:]]]
        ),
    ]

    /// The kinds that none of our validators may accept.
    static let foreign: [JWTKind] = [
        JWTKind(
            "DPoP proof",
            type: "dpop+jwt",
            ["htm": "POST", "htu": .string(server + "/token"), "jti": "p-1", "iat": seconds(0)]
        ),
        JWTKind("logout token", type: "logout+jwt", logoutClaims),
        JWTKind("logout token", type: "JWT", logoutClaims),
        JWTKind(
            "introspection response",
            type: "token-introspection+jwt",
            ["iss": .string(server), "aud": .string(api), "iat": seconds(0), "token_introspection": ["active": true]]
        ),
        JWTKind(
            "authorization grant of RFC 7523 section 2.1",
            type: "JWT",
            [
                "iss": .string(client), "sub": "ada", "aud": .string(server), "jti": "g-1", "iat": seconds(0),
                "exp": seconds(60),
            ]
        ),
        JWTKind(
            "request object of before RFC 9101",
            type: nil,
            [
                "iss": .string(client), "aud": .string(server), "client_id": .string(client), "nbf": seconds(0),
                "exp": seconds(60), "response_type": "code",
            ]
        ),
        JWTKind(
            "software statement",
            type: nil,
            ["iss": "https://vendor.example", "software_id": "app", "client_name": "App", "exp": seconds(60)]
        ),
        JWTKind("proof of an attested key", type: "oauth-client-attestation-pop+jwt", assertionClaims),
        JWTKind("verifiable credential", type: "dc+sd-jwt", idTokenClaims),
    ]
}
