// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ResourceServer
import StrictJSON
import TestSupport
import Testing

@Suite("Access tokens without explicit type")
struct OtherTokenProfileTests {
    private let api: GuardedAPI

    init() throws {
        api = try GuardedAPI { $0.tokenProfile = .jwtWithoutExplicitType }
    }

    /// A token as Keycloak and Auth0 make it: `JWT`, the client in `azp`; without `iat` and `jti`.
    private func accessToken(
        type: JSONValue? = "JWT",
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> String {
        var header: JSONObject = ["kid": "key-1"]
        header["typ"] = type
        return try await api.accessToken(header: header) { claims in
            claims["azp"] = "app"
            for name in ["client_id", "iat", "jti"] { claims[name] = nil }
            change(&claims)
        }
    }

    /// What the guard makes of a token with a proof that is right for it; `nil` if it rejects it.
    private func accepted(_ token: String) async throws -> AuthorizedRequest? {
        let request = api.request(token, try await api.proof(for: token))
        guard case .accepted(let authorized) = await api.requestGuard.check(request) else { return nil }
        return authorized
    }

    @Test(
        arguments: ["JWT", "jwt", "application/jwt", "at+jwt", "application/at+jwt", "AT+JWT", nil] as [JSONValue?]
    )
    func `RFC 7519 section 5_1, a JWT without another type is accepted`(type: JSONValue?) async throws {
        let authorized = try #require(try await accepted(try await accessToken(type: type)))
        #expect(authorized.subject == "ada")
        #expect(authorized.clientID == "app")
        #expect(authorized.claims.string("client_id") == "app")
        #expect(authorized.claims.tokenID == nil)
        #expect(authorized.scope == (try Scope(["api:read", "api:write"])))
        #expect(authorized.binding == .key(api.clientKey.publicKey.thumbprint))
        #expect(api.recordedProofs == 1)
    }

    @Test(
        arguments: [
            "dpop+jwt", "logout+jwt", "secevent+jwt", "oauth-authz-req+jwt", "token-introspection+jwt", "id_token+jwt",
            "client-authentication+jwt", "application/logout+jwt", "JOSE", "JWE", "", 1, .null, ["JWT"],
        ] as [JSONValue]
    )
    func `attack: RFC 8725 section 3_11, a JWT of another type`(type: JSONValue) async throws {
        try await api.expectRefusal(of: try await accessToken(type: type))
    }

    @Test(arguments: ["nonce", "at_hash", "c_hash", "s_hash", "events"])
    func `attack: RFC 8725 section 3_12, a claim that marks an id_token or a logout token`(name: String) async throws {
        for value in ["x", "", .null, [:], 1] as [JSONValue] {
            try await api.expectRefusal(of: try await accessToken { $0[name] = value })
        }
        try await api.expectRefusal(of: try await accessToken(type: "at+jwt") { $0[name] = "x" })
    }

    @Test(arguments: ["ID", "Refresh", "Offline", "Logout", "", "bearer", 1, .null] as [JSONValue])
    func `attack: a token whose claim typ does not say that it is an access token`(type: JSONValue) async throws {
        try await api.expectRefusal(of: try await accessToken { $0["typ"] = type })
    }

    @Test(arguments: ["Bearer", "DPoP"])
    func `the claim typ of an access token changes nothing`(type: String) async throws {
        let token = try await accessToken { $0["typ"] = .string(type) }
        #expect(try await accepted(token)?.clientID == "app")
    }

    @Test(arguments: [nil, "JWT"] as [JSONValue?])
    func `attack: an id_token and a logout token of the issuer, for the app and for the API`(
        type: JSONValue?
    ) async throws {
        for audience in ["app", GuardedAPI.address] {
            try await api.expectRefusal(
                of: try await accessToken(type: type) { claims in
                    claims["aud"] = .string(audience)
                    claims["nonce"] = "n-1"
                    claims["scope"] = nil
                }
            )
            try await api.expectRefusal(
                of: try await accessToken(type: type) { claims in
                    claims["aud"] = .string(audience)
                    claims["events"] = ["http://schemas.openid.net/event/backchannel-logout": [:]]
                }
            )
        }
    }

    @Test(
        arguments: [
            ["client_id": "app"], ["azp": "app"], ["cid": "app"], ["client_id": "app", "azp": "app"],
            ["azp": "app", "cid": "app"], ["client_id": "app", "azp": "app", "cid": "app"],
        ] as [JSONObject]
    )
    func `the client has one of three names, or the same value in several`(names: JSONObject) async throws {
        let token = try await accessToken { claims in
            claims["azp"] = nil
            for member in names.members { claims[member.name] = member.value }
        }
        let authorized = try #require(try await accepted(token))
        #expect(authorized.clientID == "app")
        #expect(authorized.claims.string("client_id") == "app")
    }

    @Test(
        arguments: [
            [:], ["client_id": ""], ["azp": ""], ["azp": 1], ["cid": ["app"]], ["client_id": "app", "azp": "other"],
            ["client_id": "app", "cid": "other"], ["azp": "app", "cid": "APP"], ["client_id": "app", "azp": .null],
            ["client_id": .null, "azp": "app"], ["client_id": 1, "azp": "app"], ["client_id": "", "azp": "app"],
            ["appid": "app"],
        ] as [JSONObject]
    )
    func `attack: no client, or two different ones`(names: JSONObject) async throws {
        try await api.expectRefusal(
            of: try await accessToken { claims in
                claims["azp"] = nil
                for member in names.members { claims[member.name] = member.value }
            }
        )
    }

    @Test(
        arguments: [
            ("api:read api:write", "api:read api:write"), ("api:read", "api:read"), (["api:read"], "api:read"),
            (["api:read", "api:write"], "api:read api:write"), ([], ""), ("", ""),
            // What is malformed gives nothing: two words in one element are not two scopes.
            (["api:read api:write"], ""), (["api:read", 1], ""), (["api:read", ""], ""), (1, ""), (.null, ""),
            (["api:read": true], ""), ("api:read  api:write", ""), (nil, ""),
        ] as [(JSONValue?, String)]
    )
    func `without scope, scp is the scope`(value: JSONValue?, expected: String) async throws {
        let token = try await accessToken { claims in
            claims["scope"] = nil
            claims["scp"] = value
        }
        #expect(try await accepted(token)?.scope == (try Scope(parsing: expected)))
    }

    @Test(arguments: ["api:read", "", 1, .null] as [JSONValue])
    func `attack: scp adds nothing to a scope that is there`(scope: JSONValue) async throws {
        let token = try await accessToken { claims in
            claims["scope"] = scope
            claims["scp"] = ["api:read", "api:admin"]
        }
        let admin = GuardRequirement(scope: try Scope(["api:admin"]))
        let request = api.request(token, try await api.proof(for: token))
        guard case .rejected(let rejection) = await api.requestGuard.check(request, for: admin) else {
            Issue.record("accepted")
            return
        }
        try expect(rejection.response, isChallengeWith: "insufficient_scope", status: 403)
    }

    @Test func `attack: what every access token needs is missing or of another type`() async throws {
        for name in ["sub", "iss", "aud", "exp"] {
            for value in [nil, .null, "", true, [], [:]] as [JSONValue?] {
                try await api.expectRefusal(of: try await accessToken { $0[name] = value })
            }
        }
        // Optional claims too are what they say, if they are there.
        for value in [.null, "1790000000", true] as [JSONValue] {
            try await api.expectRefusal(of: try await accessToken { $0["iat"] = value })
        }
        try await api.expectRefusal(of: try await accessToken { $0["jti"] = 1 })
        let later = JSONValue.number(JSONNumber(api.clock.now().secondsSince1970 + 11))
        for name in ["iat", "nbf"] { try await api.expectRefusal(of: try await accessToken { $0[name] = later }) }
        let past = JSONValue.number(JSONNumber(api.clock.now().secondsSince1970 - 10))
        try await api.expectRefusal(of: try await accessToken { $0["exp"] = past })
    }

    @Test func `attack: another issuer, another audience, another key`() async throws {
        for audience in ["https://other.example.com", "app", ["app", "https://api.example.com/"], []] as [JSONValue] {
            try await api.expectRefusal(of: try await accessToken { $0["aud"] = audience })
        }
        try await api.expectRefusal(of: try await accessToken { $0["iss"] = "https://auth.example.com/" })
        try await api.expectRefusal(
            of: try await api.accessToken(header: ["typ": "JWT", "kid": "key-1"], signedBy: api.clientKey)
        )
        let audiences: JSONValue = ["https://auth.example.com/userinfo", .string(GuardedAPI.address)]
        let token = try await accessToken { $0["aud"] = audiences }
        #expect(try await accepted(token)?.subject == "ada")
    }

    @Test func `attack: a token that is bound to no key, or without its proof, or with a used one`() async throws {
        let unbound = try await accessToken { $0["cnf"] = nil }
        try expect(
            await api.send(api.request(unbound, try await api.proof(for: unbound))),
            isChallengeWith: "invalid_token",
            "The access token is not bound to a key"
        )
        let token = try await accessToken()
        #expect(await api.send(api.request(token, nil)).status == 401)
        #expect(await api.send(api.request(token, nil, scheme: "Bearer")).status == 401)
        let foreign = try await api.proof(for: token, signedBy: try TestKey.p256(9))
        #expect(await api.send(api.request(token, foreign)).status == 401)
        let request = api.request(token, try await api.proof(for: token))
        #expect(await api.send(request).status == 200)
        #expect(await api.send(request).status == 401)
    }

    @Test func `attack: an id_token as a bearer token`() async throws {
        let open = try GuardedAPI {
            $0.tokenProfile = .jwtWithoutExplicitType
            $0.acceptsTokensThatAreBoundToNothing = true
        }
        let bearer = try await accessToken { $0["cnf"] = nil }
        #expect(await open.send(open.request(bearer, nil, scheme: "Bearer")).status == 200)
        for (name, value) in [("nonce", "n-1"), ("at_hash", "x"), ("typ", "ID")] {
            let token = try await accessToken { claims in
                claims["cnf"] = nil
                claims[name] = .string(value)
            }
            #expect(await open.send(open.request(token, nil, scheme: "Bearer")).status == 401, "\(name)")
        }
    }
}
