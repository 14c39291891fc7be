// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import SigningKeys
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 9101: signed authorization requests, over real sockets")
struct RequestObjectTests {
    private func initiate(
        _ fixture: SigningFixture,
        _ additional: FormParameters = [:],
        resources: [String] = [],
        details: [AuthorizationDetail] = []
    ) async throws -> AuthorizationRequest {
        var options = AuthorizationOptions(additionalParameters: additional)
        options.resources = resources
        options.authorizationDetails = details
        return try await fixture.client.initiateAuthorization(scopes: ["a", "b"], options: options)
    }

    private func error(
        _ fixture: SigningFixture,
        _ additional: FormParameters = [:]
    ) async -> OAuthClientError? {
        await clientError { _ = try await initiate(fixture, additional) }
    }

    @Test func `section 4: a signed request has a type, its parties, short times and a name of its own`() async throws {
        let fixture = try SigningFixture.signingRequests()
        _ = try await initiate(fixture)
        _ = try await initiate(fixture)
        let objects = await fixture.server.conduct.objects
        let object = try #require(objects.first)
        #expect(object.header["typ"] == "oauth-authz-req+jwt")
        #expect(object.header["alg"] == "ES256")
        #expect(object.header["kid"] == "k9")
        #expect(object.claims["iss"] == "my-app")
        #expect(object.claims["client_id"] == "my-app")
        #expect(object.claims["aud"] == .string(fixture.server.issuer))
        #expect(object.claims["iat"] == 1_790_000_000)
        #expect(object.claims["nbf"] == 1_790_000_000)
        #expect(object.claims["exp"] == 1_790_000_060)
        #expect(object.claims["sub"] == nil)
        #expect(objects.map { $0.claims["jti"]?.stringValue?.utf8.count } == [22, 22])
        #expect(objects[0].claims["jti"] != objects[1].claims["jti"])
        #expect(await fixture.server.conduct.violations == [])
    }

    @Test func `trap 11: the request itself, with state, challenge and dpop_jkt, is in the signed part`() async throws {
        let fixture = try SigningFixture.signingRequests()
        let request = try await initiate(fixture)
        let claims = try #require(await fixture.server.conduct.objects.first).claims
        #expect(claims["response_type"] == "code")
        #expect(claims["redirect_uri"] == "com.example.app:/callback")
        #expect(claims["scope"] == "a b")
        #expect(claims["state"] == .string(request.state))
        #expect(claims["code_challenge"]?.stringValue?.utf8.count == 43)
        #expect(claims["code_challenge_method"] == "S256")
        #expect(claims["dpop_jkt"]?.stringValue?.utf8.count == 43)
    }

    @Test func `RFC 9126 section 3: a pushed form has the request and the client, nothing else`() async throws {
        let fixture = try SigningFixture.signingRequests()
        let request = try await initiate(fixture)
        let pushed = try #require(await fixture.server.conduct.pushed.first)
        #expect(pushed.all.map(\.name) == ["client_id", "request"])
        let query = try FormParameters(decoding: try #require(URI(parsing: request.url).query))
        #expect(query.all.map(\.name) == ["client_id", "request_uri"])
    }

    @Test func `RFC 9126 section 3: client authentication stays in the form, with the same key or not`() async throws {
        let key = try SigningServerConduct.clientKey()
        let fixture = try SigningFixture.signingRequests { $0.clientAuthentication = .privateKeyJWT(key, keyID: "k9") }
        _ = try await initiate(fixture)
        let pushed = try #require(await fixture.server.conduct.pushed.first)
        #expect(pushed.all.map(\.name) == ["client_id", "request", "client_assertion_type", "client_assertion"])
        // One key signs both, and neither is accepted as the other.
        let keys = JWKSet([key.publicKey.named("k9", algorithm: .es256)])
        let issuer = fixture.server.issuer
        let assertion = try #require(try pushed.value(for: "client_assertion"))
        let object = try #require(try pushed.value(for: "request"))
        let asRequest = JWTValidation.requestObject(clientID: "my-app", issuer: issuer)
        let asAssertion = JWTValidation.clientAssertion(clientID: "my-app", issuer: issuer)
        #expect(throws: JOSEError.self) { try asRequest.validate(assertion, with: keys, at: fixture.clock.now()) }
        #expect(throws: JOSEError.self) { try asAssertion.validate(object, with: keys, at: fixture.clock.now()) }
        _ = try asAssertion.validate(assertion, with: keys, at: fixture.clock.now())
    }

    @Test func `section 5: by value, only client_id stands beside the request, in a sign-in that comes back`()
        async throws
    {
        let fixture = try SigningFixture.signingRequests()
        await fixture.server.change { $0.offersPAR = false }
        let response = try await fixture.answer(.formPostJWT)
        #expect(response.code.value == "code 1+&/=")
        let conduct = fixture.server.conduct
        #expect(await conduct.queries.first?.all.map(\.name) == ["client_id", "request"])
        #expect(await conduct.objects.first?.claims["response_mode"] == "form_post.jwt")
        #expect(await conduct.objects.first?.claims["exp"] == 1_790_000_300)
        #expect(await conduct.violations == [])
    }

    @Test func `trap 41: a request that is sent again for a nonce is signed again`() async throws {
        let fixture = try SigningFixture.signingRequests()
        await fixture.server.change { $0.nonce = "n1" }
        _ = try await initiate(fixture)
        let objects = await fixture.server.conduct.objects
        #expect(objects.count == 2)
        #expect(objects.first?.claims["jti"] != objects.last?.claims["jti"])
        #expect(objects.first?.claims["state"] == objects.last?.claims["state"])
        #expect(await fixture.server.conduct.violations == [])
    }

    @Test func `section 4: numbers and JSON are claims of their own kind, a repeated resource is an array`()
        async throws
    {
        let fixture = try SigningFixture.signingRequests()
        _ = try await initiate(
            fixture,
            [
                "max_age": "300", "claims": #"{"id_token":{"acr":{"essential":true}}}"#,
                "login_hint": "0123",
            ],
            resources: ["https://a.example", "https://b.example"],
            details: [AuthorizationDetail(type: "payment")]
        )
        let claims = try #require(await fixture.server.conduct.objects.first).claims
        #expect(claims["max_age"] == 300)
        #expect(claims["claims"] == ["id_token": ["acr": ["essential": true]]])
        #expect(claims["authorization_details"] == [["type": "payment"]])
        #expect(claims["login_hint"] == "0123")
        #expect(claims["resource"] == ["https://a.example", "https://b.example"])
        _ = try await initiate(fixture, resources: ["https://a.example"])
        #expect(await fixture.server.conduct.objects.last?.claims["resource"] == "https://a.example")
    }

    @Test(
        arguments: [
            ["max_age": "soon"], ["max_age": "1.5"], ["claims": "x"], ["authorization_details": "7"],
            ["login_hint": "a", "login_hint": "b"], ["claims": #"{"a":1,"a":2}"#],
        ] as [FormParameters]
    )
    func `a parameter that cannot be a claim is rejected`(_ additional: FormParameters) async throws {
        let fixture = try SigningFixture.signingRequests()
        #expect(await error(fixture, additional)?.code == .invalidArgument)
        #expect(await fixture.server.conduct.pushed.isEmpty)
    }

    @Test(arguments: ["iss", "aud", "exp", "jti", "nbf", "iat", "sub"])
    func `a parameter cannot stand in for what the client says of the JWT itself`(_ name: String) async throws {
        let fixture = try SigningFixture.signingRequests()
        var additional = FormParameters()
        additional.append(name, "forged")
        #expect(await error(fixture, additional)?.code == .invalidArgument)
    }

    @Test func `a request is signed when the server demands it, or always, or never`() async throws {
        let key = try SigningServerConduct.clientKey()
        for (signing, isRequired, expected) in [
            (nil, false, false), (RequestObjectSigning.whenRequired(with: key), false, false),
            (.whenRequired(with: key), true, true), (.always(with: key), false, true), (.always(with: key), true, true),
        ] {
            let fixture = try SigningFixture { $0.requestObjectSigning = signing }
            await fixture.server.change { $0.metadata = ["require_signed_request_object": .bool(isRequired)] }
            _ = try await initiate(fixture)
            let object = try await fixture.server.conduct.pushed.first?.value(for: "request")
            #expect((object != nil) == expected)
        }
    }

    @Test func `section 10.5: without a key, a server that demands signed requests is an error at once`() async throws {
        let fixture = try SigningFixture()
        await fixture.server.change { $0.metadata = ["require_signed_request_object": true] }
        #expect(await error(fixture)?.code == .signedRequestRequired)
        #expect(await fixture.server.conduct.pushed.isEmpty)
    }

    @Test func `section 10.2: the algorithm must be one that the server names`() async throws {
        let fixture = try SigningFixture.signingRequests()
        await fixture.server.change {
            $0.metadata = ["request_object_signing_alg_values_supported": ["none", "PS256"]]
        }
        #expect(await error(fixture)?.code == .unsupportedByServer)
        let other = try SigningFixture.signingRequests()
        await other.server.change { $0.metadata = ["request_object_signing_alg_values_supported": ["ES256"]] }
        #expect(await error(other) == nil)
    }

    @Test func `a server without the request parameter and without PAR takes no signed request`() async throws {
        let fixture = try SigningFixture.signingRequests()
        await fixture.server.change {
            $0.offersPAR = false
            $0.metadata = ["request_parameter_supported": false]
        }
        #expect(await error(fixture)?.code == .unsupportedByServer)
    }

    @Test(arguments: [true, false])
    func `a request that is too long for a URL is an error that speaks of PAR, and fits when pushed`(
        _ isSigned: Bool
    ) async throws {
        let fixture = try isSigned ? SigningFixture.signingRequests() : SigningFixture()
        let long: FormParameters = ["foo": String(repeating: "x", count: 8000)]
        _ = try await initiate(fixture, long)
        let byValue = try isSigned ? SigningFixture.signingRequests() : SigningFixture()
        await byValue.server.change { $0.offersPAR = false }
        let error = await error(byValue, long)
        #expect(error?.code == .requestTooLong)
        #expect(error?.reason.contains("PAR") == true)
    }

    @Test func `trap 45: a request refused for the time of the device is signed again with the server's`() async throws
    {
        let fixture = try SigningFixture.signingRequests()
        fixture.transport.set(date: "Mon, 21 Sep 2026 14:13:20 GMT")
        fixture.clock.advance(by: .seconds(-600))
        await fixture.server.change { $0.refusesFirstRequestObject = true }
        _ = try await initiate(fixture)
        let times = await fixture.server.conduct.pushed.compactMap { form in
            try? CompactJWS(parsing: form.value(for: "request") ?? "").payloadObject()["iat"]?.integerValue
        }
        #expect(times.count == 2)
        #expect(times.first != times.last)
    }

    @Test func `a key that does not sign is an error of the key`() async throws {
        let key = try BrokenKey()
        let fixture = try SigningFixture { $0.requestObjectSigning = .always(with: key) }
        #expect(await error(fixture)?.code == .keyUnavailable)
    }

    @Test func `trap 66: the key does not print`() throws {
        let signing = RequestObjectSigning.always(with: try SigningServerConduct.clientKey())
        var dumped = ""
        dump(signing, to: &dumped)
        #expect("\(signing)" == "ES256")
        #expect(!dumped.contains("SigningKey"))
    }

    private struct BrokenKey: SigningKey {
        struct Broken: Error {}

        let publicKey: JWK
        let algorithm = SignatureAlgorithm.es256
        let protection = KeyProtection.memory

        init() throws {
            publicKey = try TestKey.p256(9).publicKey
        }

        func sign(_ message: [UInt8]) async throws -> [UInt8] { throw Broken() }
    }
}
#endif
