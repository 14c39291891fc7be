// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Attacks on how clients authenticate: RFC 6749 section 2.3, RFC 7523 section 3", .overSocketsOnEveryStore)
struct ClientAuthenticationAttackTests {
    private static let endpoints = ["/token", "/par", "/revoke", "/introspect"]

    /// The parameters that every request has besides the client authentication.
    private static let rest: FormParameters = ["grant_type": "client_credentials", "token": "x"]

    @Test func `each method works, at the token endpoint and where tokens are asked about`() async throws {
        let server = try await ConfidentialClient.server()
        let basic = try ConfidentialClient(server, "basic")
        let post = try ConfidentialClient(server, "post")
        let signed = try ConfidentialClient(server, "signed")
        #expect(try await basic.tokens(fields: basic.basic).status == 200)
        #expect(try await basic.tokens(["client_id": "basic"], fields: basic.basic).status == 200)
        #expect(try await post.tokens(post.posted).status == 200)
        #expect(try await signed.tokens(signed.signed()).status == 200)
        // RFC 7521 section 4.2: `client_id` may be missing.
        #expect(try await signed.tokens(signed.signed().with("client_id", nil)).status == 200)
        for path in ["/introspect", "/revoke"] {
            #expect(await server.post(path, ["token": "x"], fields: basic.basic).status == 200)
            #expect(await server.post(path, post.posted.adding("token", "x")).status == 200)
            #expect(try await server.post(path, signed.signed().adding("token", "x")).status == 200)
        }
    }

    @Test(arguments: ["basic", "post", "signed"])
    func `attacks 39 and 47, a confidential client that does not authenticate`(clientID: String) async throws {
        let server = try await ConfidentialClient.server()
        for path in Self.endpoints {
            let response = await server.post(path, Self.rest.adding("client_id", clientID))
            expect(response, isError: "invalid_client", status: path == "/introspect" ? 401 : 400)
        }
    }

    @Test func `attack 39, a pushed request of a client with a secret`() async throws {
        let server = try await ConfidentialClient.server()
        let client = try ConfidentialClient(server, "basic")
        let attempt = FakeClient(server, clientID: "basic", key: nil).attempt()
        expect(await server.post("/par", attempt.parameters), isError: "invalid_client")
        #expect(await server.post("/par", attempt.parameters, fields: client.basic).status == 201)
    }

    @Test func `attack 47, an unknown client and a wrong secret get the same answer`() async throws {
        let server = try await ConfidentialClient.server()
        for path in Self.endpoints {
            let basic = await [("basic", "wrong"), ("unknown", "wrong"), ("app", "wrong")].asyncMap {
                await server.post(path, Self.rest, fields: ConfidentialClient.basic($0, $1))
            }
            for response in basic {
                expect(response, isError: "invalid_client", status: 401)
                #expect(response.fields.values(for: "WWW-Authenticate") == ["Basic realm=\"clients\""])
                #expect(response.body == basic[0].body)
            }
            let posted = await ["post", "unknown", "app"].asyncMap {
                await server.post(path, Self.rest.adding("client_id", $0).adding("client_secret", "wrong"))
            }
            for response in posted { #expect(response == posted[0]) }
        }
    }

    @Test func `attack 48, two_client_auth_methods`() async throws {
        let server = try await ConfidentialClient.server()
        let (basic, signed) = (try ConfidentialClient(server, "basic"), try ConfidentialClient(server, "signed"))
        let secret = basic.posted
        expect(try await basic.tokens(secret, fields: basic.basic), isError: "invalid_request")
        expect(try await signed.tokens(signed.signed(), fields: signed.basic), isError: "invalid_request")
        let both = try await signed.signed().adding("client_secret", "x")
        expect(try await signed.tokens(both), isError: "invalid_request")
        var twice = basic.basic
        twice.append(name: "Authorization", value: basic.basic["Authorization"] ?? "")
        expect(try await basic.tokens(fields: twice), isError: "invalid_request")
        // Two clients in one request.
        let other = try await basic.tokens(["client_id": "post"], fields: basic.basic)
        expect(other, isError: "invalid_client", status: 401)
    }

    @Test func `attack 48, a method that the client is not registered for`() async throws {
        let server = try await ConfidentialClient.server()
        let (basic, post) = (try ConfidentialClient(server, "basic"), try ConfidentialClient(server, "post"))
        expect(try await basic.tokens(basic.posted), isError: "invalid_client")
        expect(try await post.tokens(fields: post.basic), isError: "invalid_client", status: 401)
        expect(try await basic.tokens(basic.signed()), isError: "invalid_client")
    }

    @Test(arguments: ["/token", "/par", "/revoke", "/introspect"])
    func `attack 49, secret_in_query`(path: String) async throws {
        let server = try await ConfidentialClient.server()
        let post = try ConfidentialClient(server, "post")
        expect(await server.post(path + "?" + post.posted.encoded(), Self.rest), isError: "invalid_request")
    }

    @Test(arguments: [
        "Basic", "Basic ", "Basic YmFzaWM", "Basic YmFzaWM=x", "Basic ====", "Basic YmFzaWM=", "basic", "Digest YTpi",
        "Bearer YTpi", "Basic Og==", "Basic YTo=", "Basic JTpi", "Basic Jjpi", "Basic \u{FF}",
    ])
    func `credentials that cannot be read are rejected`(value: String) async throws {
        let server = try await ConfidentialClient.server()
        let response = await server.post("/token", Self.rest, fields: ["Authorization": value])
        expect(response, isError: "invalid_client", status: 401)
    }

    @Test func `the scheme has no case, and both secrets of a change work until the next one`() async throws {
        let server = try await ConfidentialClient.server()
        let client = try ConfidentialClient(server, "basic")
        let field = try #require(client.basic["Authorization"]).replacing("Basic", with: "bASIC")
        #expect(try await client.tokens(fields: ["Authorization": field]).status == 200)
        let administration = ServerAdministration(storage: server.storage, entropy: server.entropy)
        let second = try await administration.newClientSecret(for: "basic").value
        for secret in [client.secret, second] {
            #expect(try await client.tokens(fields: ConfidentialClient.basic("basic", secret)).status == 200)
        }
        let third = try await administration.newClientSecret(for: "basic").value
        expect(try await client.tokens(fields: client.basic), isError: "invalid_client", status: 401)
        for secret in [second, third] {
            #expect(try await client.tokens(fields: ConfidentialClient.basic("basic", secret)).status == 200)
        }
    }

    @Test func `a client that is removed gets nothing any more`() async throws {
        let server = try await ConfidentialClient.server()
        let client = try ConfidentialClient(server, "basic")
        let token = try await client.tokens(fields: client.basic).string("access_token")
        try await ServerAdministration(storage: server.storage).removeClient("basic")
        expect(try await client.tokens(fields: client.basic), isError: "invalid_client", status: 401)
        #expect(await (try ConfidentialClient(server, "api")).introspect(token).json == ["active": false])
    }
}

@Suite("Attacks on the assertions of clients: RFC 7523 section 3, FAPI 2.0 section 5.3.2.1", .overSocketsOnEveryStore)
struct ClientAssertionAttackTests {
    /// An assertion with one fault is rejected, and the same one without the fault is accepted.
    private func expectRefusal(
        header: JSONObject = [:],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (ConfidentialClient, inout JSONObject) -> Void
    ) async throws {
        let client = try ConfidentialClient(try await ConfidentialClient.server(), "signed")
        let form = try await client.signed(header: header) { change(client, &$0) }
        expect(try await client.tokens(form), isError: "invalid_client", sourceLocation: sourceLocation)
        #expect(try await client.tokens(client.signed()).status == 200, sourceLocation: sourceLocation)
    }

    private static func seconds(_ client: ConfidentialClient, _ offset: Int64) -> JSONValue {
        .number(JSONNumber(client.server.clock.now().secondsSince1970 + offset))
    }

    @Test(
        arguments: [
            .string(ServerUnderTest.issuer + "/token"), .string(ServerUnderTest.issuer + "/par"),
            .string(ServerUnderTest.issuer + "/"), .string("https://AUTH.example.com"), .array([]),
            .array([.string(ServerUnderTest.issuer), .string("https://other.example.com")]),
            .array([.string(ServerUnderTest.issuer), .string(ServerUnderTest.issuer)]),
            .array([.string(ServerUnderTest.issuer + "/token")]), .array([.array([.string(ServerUnderTest.issuer)])]),
        ] as [JSONValue]
    )
    func `attack 50, assertion_wrong_aud`(audience: JSONValue) async throws {
        try await expectRefusal { $1["aud"] = audience }
    }

    @Test func `RFC 7519 section 4_1_3, the issuer alone may be an array of one`() async throws {
        let client = try ConfidentialClient(try await ConfidentialClient.server(), "signed")
        let response = try await client.tokens(client.signed { $0["aud"] = [.string(ServerUnderTest.issuer)] })
        #expect(response.status == 200, "\(response.text)")
    }

    @Test func `where the endpoint is allowed as audience, it is that of the request or the token endpoint alone`()
        async throws
    {
        let server = try await ConfidentialClient.server { $0.assertionAudience = .issuerOrEndpoint }
        let client = try ConfidentialClient(server, "signed")
        let (token, revocation) = (ServerUnderTest.issuer + "/token", ServerUnderTest.issuer + "/revoke")
        let good: [JSONValue] = [.string(ServerUnderTest.issuer), .string(token), [.string(token)]]
        for audience in good {
            let response = try await client.tokens(client.signed { $0["aud"] = audience })
            #expect(response.status == 200, "\(audience): \(response.text)")
        }
        let bad: [JSONValue] = [
            .string(revocation), .string(token + "/"), [.string(token), .string(ServerUnderTest.issuer)], [],
            .string("https://other.example.com/token"),
        ]
        for audience in bad {
            expect(try await client.tokens(client.signed { $0["aud"] = audience }), isError: "invalid_client")
        }
        for audience in [token, revocation] {
            let form = try await client.signed { $0["aud"] = .string(audience) }
            #expect(await server.post("/revoke", form.adding("token", "x")).status == 200)
        }
    }

    @Test func `the audit event says what the assertion should have, and nothing that it has`() async throws {
        let events = RecordedEvents()
        let server = try await ConfidentialClient.server(audit: events)
        let client = try ConfidentialClient(server, "signed")
        expect(
            try await client.tokens(client.signed { $0["aud"] = "https://evil.example" }),
            isError: "invalid_client"
        )
        let detail = try #require(events.all.last?.detail)
        #expect(detail.hasPrefix("CheckClientAuthentication: 'aud'") && detail.hasSuffix(ServerUnderTest.issuer))
        #expect(!detail.contains("evil"))
    }

    @Test func `attack 50, no audience`() async throws {
        try await expectRefusal { $1["aud"] = nil }
    }

    @Test func `attack 51, assertion_replayed_jti`() async throws {
        let client = try ConfidentialClient(try await ConfidentialClient.server(), "signed")
        let form = try await client.signed { $0["jti"] = "one" }
        #expect(try await client.tokens(form).status == 200)
        expect(try await client.tokens(form), isError: "invalid_client")
        // At another endpoint, and another assertion with the same `jti`.
        expect(await client.server.post("/revoke", form.adding("token", "x")), isError: "invalid_client")
        let renamed = try await client.signed { ($0["jti"], $0["extra"]) = ("one", "x") }
        expect(try await client.tokens(renamed), isError: "invalid_client")
        // The same `jti` of another client is a different one.
        let other = try ConfidentialClient(client.server, "signed-2")
        #expect(try await other.tokens(other.signed { $0["jti"] = "one" }).status == 200)
        try await expectRefusal { $1["jti"] = nil }
    }

    @Test func `attack 51, a server whose clock is ahead forgets no assertion that others accept`() async throws {
        let client = try ConfidentialClient(try await ConfidentialClient.server(), "signed")
        let form = try await client.signed()
        #expect(try await client.tokens(form).status == 200)
        let (storage, clock) = (client.server.storage, client.server.clock)
        // The assertion is valid for 60 seconds, and accepted for 10 more.
        _ = try await storage.deleteExpired(at: clock.now() + .seconds(71), limit: 1000)
        clock.advance(by: .seconds(60))
        expect(try await client.tokens(form), isError: "invalid_client")
    }

    @Test func `attack 51, a request that is rejected does not use the assertion up`() async throws {
        let client = try ConfidentialClient(try await ConfidentialClient.server(), "signed")
        let form = try await client.signed()
        expect(try await client.tokens(form.adding("scope", "unknown")), isError: "invalid_scope")
        #expect(try await client.tokens(form).status == 200)
    }

    @Test func `attack 52, assertion_expired / iat_over_60_future / no_sub`() async throws {
        try await expectRefusal { $1["exp"] = Self.seconds($0, -300) }
        try await expectRefusal { $1["exp"] = nil }
        try await expectRefusal { $1["exp"] = Self.seconds($0, 3600) }
        try await expectRefusal { $1["iat"] = Self.seconds($0, 61) }
        try await expectRefusal { $1["nbf"] = Self.seconds($0, 61) }
        try await expectRefusal { $1["sub"] = nil }
        try await expectRefusal { $1["iss"] = nil }
        try await expectRefusal { $1["sub"] = "signed-2" }
        try await expectRefusal { $1["iss"] = "signed-2" }
    }

    @Test func `times that are 8 seconds ahead are accepted`() async throws {
        let client = try ConfidentialClient(try await ConfidentialClient.server(), "signed")
        let form = try await client.signed {
            ($0["nbf"], $0["iat"]) = (Self.seconds(client, 8), Self.seconds(client, 8))
        }
        #expect(try await client.tokens(form).status == 200)
    }

    @Test func `attack 53, assertion_rs256_in_fapi`() async throws {
        let key = try TestKey.rsa()
        let other = try TestKey.rsa(.ps256)
        let server = try await ServerUnderTest.inMemory(
            clients: [
                try ConfidentialClient.registration("signed", .privateKeyJWT) {
                    $0.jwks = JWKSet([key.publicKey, other.publicKey])
                }
            ]
        )
        let client = try ConfidentialClient(server, "signed")
        expect(try await client.tokens(client.signed(by: key)), isError: "invalid_client")
        #expect(try await client.tokens(client.signed(by: other)).status == 200)
    }

    @Test func `attack 53, alg_none and HS256_with_public_key`() async throws {
        let client = try ConfidentialClient(try await ConfidentialClient.server(), "signed")
        let genuine = try #require(try await client.signed()["client_assertion"])
        let payload = genuine.split(separator: ".")[1]
        let none = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
        for token in ["\(none).\(payload).", "\(none).\(payload).AA"] {
            expect(try await client.tokens(ConfidentialClient.form(assertion: token)), isError: "invalid_client")
        }
        let secret = JSONValue.object(client.key.publicKey.json).encoded()
        let forged = try ClientSecretKey(secret: secret, algorithm: .hs256)
            .authenticate(header: [:], payload: CompactJWS(parsing: genuine).payload)
        expect(try await client.tokens(ConfidentialClient.form(assertion: forged)), isError: "invalid_client")
    }

    @Test func `attack 53, an algorithm that the client is not registered for`() async throws {
        let server = try await ServerUnderTest.inMemory(
            clients: [
                try ConfidentialClient.registration("signed", .privateKeyJWT) {
                    $0.tokenEndpointAuthSigningAlgorithm = .ps256
                }
            ]
        )
        let client = try ConfidentialClient(server, "signed")
        expect(try await client.tokens(client.signed()), isError: "invalid_client")
    }

    @Test func `an assertion by another key, or of another kind, is rejected`() async throws {
        let client = try ConfidentialClient(try await ConfidentialClient.server(), "signed")
        expect(try await client.tokens(client.signed(by: TestKey.p256(8))), isError: "invalid_client")
        expect(try await client.tokens(client.signed(header: ["kid": "other"])), isError: "invalid_client")
        expect(try await client.tokens(client.signed(header: ["typ": "dpop+jwt"])), isError: "invalid_client")
        let type = try await client.signed().with("client_assertion_type", "urn:ietf:params:oauth:grant-type:saml2")
        expect(try await client.tokens(type), isError: "invalid_client")
        let missing = try await client.signed().with("client_assertion", nil)
        expect(try await client.tokens(missing), isError: "invalid_request")
        for text in ["a", "a.b.c", "..", String(repeating: "a", count: 9000)] {
            expect(try await client.tokens(ConfidentialClient.form(assertion: text)), isError: "invalid_client")
        }
    }
}

extension Array {
    /// The results of an asynchronous function, one after the other.
    fileprivate func asyncMap<Result>(_ transform: (Element) async -> Result) async -> [Result] {
        var results: [Result] = []
        for element in self { results.append(await transform(element)) }
        return results
    }
}
