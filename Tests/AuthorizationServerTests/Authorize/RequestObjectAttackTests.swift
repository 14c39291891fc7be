// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Signed authorization requests and attacks on them, RFC 9101", .overSocketsOnEveryStore)
struct RequestObjectAttackTests {
    /// A server whose client `signed` has a key.
    private static func server(
        mustSign: Bool = false,
        origin: ClientOrigin = .registeredByOperator,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> (ServerUnderTest, FakeClient) {
        var client = try ServerUnderTest.client("signed", redirectURIs: ["https://app.example.com/callback"])
        client.jwks = JWKSet([try TestKey.p256(7).publicKey])
        client.requireSignedRequestObject = mustSign
        client.origin = origin
        let server = try await ServerUnderTest.inMemory(clients: [client], change)
        return (server, FakeClient(server, clientID: "signed", key: try TestKey.p256(2)))
    }

    /// The request as a client signs it, with whatever a test changes.
    private static func object(
        _ client: FakeClient,
        _ parameters: FormParameters,
        header: JSONObject = [:],
        by key: SoftwareSigningKey? = nil,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> String {
        let now = client.server.clock.now().secondsSince1970
        var claims = JSONObject()
        for parameter in parameters.all { claims[parameter.name] = .string(parameter.value) }
        claims["iss"] = .string(client.clientID)
        claims["aud"] = .string(ServerUnderTest.issuer)
        claims["nbf"] = .number(JSONNumber(now))
        claims["exp"] = .number(JSONNumber(now + 60))
        change(&claims)
        var whole: JSONObject = ["typ": "oauth-authz-req+jwt"]
        for member in header.members { whole[member.name] = member.value }
        return try await CompactJWS.sign(
            header: whole,
            payload: JSONValue.object(claims).encoded(),
            with: try key ?? TestKey.p256(7)
        )
    }

    /// Where the browser goes with a request object and what stands beside it.
    private static func target(_ object: String, _ beside: FormParameters = [:]) -> String {
        var query: FormParameters = ["client_id": "signed", "request": object]
        for parameter in beside.all { query.append(parameter.name, parameter.value) }
        return "/authorize?" + query.encoded()
    }

    @Test func `a signed request works, by value and pushed`() async throws {
        let (server, client) = try await Self.server(mustSign: true)
        let browser = try await server.signedInBrowser()
        for isPushed in [false, true] {
            let attempt = client.attempt()
            let object = try await Self.object(client, attempt.parameters)
            var target = Self.target(object)
            if isPushed {
                let pushed = try await client.post("/par", ["client_id": "signed", "request": object])
                let query: FormParameters = ["client_id": "signed", "request_uri": try pushed.string("request_uri")]
                target = "/authorize?" + query.encoded()
            }
            let answer = try await browser.decide("allow", on: await browser.get(target)).callback()
            #expect(answer["state"] == attempt.state && answer["iss"] == ServerUnderTest.issuer)
            let tokens = try await client.redeem(try #require(answer["code"]), attempt)
            #expect(tokens.status == 200 && tokens.json["scope"] == "api:read")
        }
    }

    @Test(arguments: [ClientOrigin.registeredByOperator, .registeredItself])
    func `an address that floods with request objects of clients that nobody registered waits`(
        _ origin: ClientOrigin
    ) async throws {
        let (server, _) = try await Self.server(origin: origin) {
            $0.rateLimits.unregisteredRequestObjectsOfAddress = RateLimit(2, per: .seconds(4000))
        }
        func push(from address: String, _ jti: String) async throws -> HTTPResponse {
            let client = FakeClient(server.seen(from: address), clientID: "signed", key: try TestKey.p256(2))
            let object = try await Self.object(client, client.attempt().parameters) { $0["jti"] = .string(jti) }
            return try await client.post("/par", ["client_id": "signed", "request": object])
        }
        for jti in ["1", "2"] { #expect(try await push(from: "203.0.113.1", jti).status == 201) }
        let third = try await push(from: "203.0.113.1", "3")
        #expect(third.status == (origin == .registeredByOperator ? 201 : 429), "\(third.text)")
        #expect(try await push(from: "198.51.100.7", "4").status == 201)
    }

    @Test func `numbers, lists and JSON are read as they are meant`() async throws {
        let server = try await ResourcefulServer.make(clients: [
            try ServerUnderTest.client("signed", redirectURIs: ["https://app.example.com/callback"]).with {
                $0.jwks = JWKSet([try TestKey.p256(7).publicKey])
                $0.scope = try Scope(parsing: ResourcefulServer.scope)
                $0.authorizationDetailTypes = ["payment"]
            }
        ])
        let client = FakeClient(server, clientID: "signed", key: try TestKey.p256(2))
        let attempt = client.attempt()
        let object = try await Self.object(client, attempt.parameters) { claims in
            claims["max_age"] = 3600
            claims["resource"] = .strings([ResourcefulServer.notes, ResourcefulServer.files])
            claims["authorization_details"] = [["type": "payment", "amount": 1]]
        }
        let browser = try await server.signedInBrowser()
        let answer = try await browser.decide("allow", on: await browser.get(Self.target(object))).callback()
        let claims = try await client.redeem(try #require(answer["code"]), attempt).accessTokenClaims()
        #expect(claims["aud"] == .strings([ResourcefulServer.notes, ResourcefulServer.files]))
        #expect(claims["authorization_details"] == [["type": "payment", "amount": 1]])
    }

    @Test func `attack 42, front_channel_params_override_par: what stands beside a signed request does not count`()
        async throws
    {
        let (server, client) = try await Self.server()
        let browser = try await server.signedInBrowser()
        let attempt = client.attempt()
        let object = try await Self.object(client, attempt.parameters)
        let beside: FormParameters = [
            "redirect_uri": "https://evil.example/", "scope": "api:write", "state": "evil", "response_type": "token",
            "code_challenge": "evil", "prompt": "none",
            "dpop_jkt": try TestKey.p256(9).publicKey.thumbprint.description,
        ]
        let page = await browser.get(Self.target(object, beside))
        let answer = try await browser.decide("allow", on: page)
        #expect(answer.fields["Location"]?.hasPrefix("https://app.example.com/callback?") == true)
        #expect(try answer.callback()["state"] == attempt.state)
        let tokens = try await client.redeem(try #require(try answer.callback()["code"]), attempt)
        #expect(tokens.json["scope"] == "api:read")
    }

    @Test func `a state that stands outside only is not used`() async throws {
        let (server, client) = try await Self.server()
        let browser = try await server.signedInBrowser()
        for isAccepted in [true, false] {
            let parameters = client.attempt().parameters.with("state", nil).with(
                "scope",
                isAccepted ? "api:read" : "no"
            )
            let target = Self.target(try await Self.object(client, parameters), ["state": "outside"])
            var answer = await browser.get(target)
            if isAccepted { answer = try await browser.decide("allow", on: answer) }
            let callback = try answer.callback()
            #expect(callback["state"] == nil && (callback["error"] == nil) == isAccepted)
        }
    }

    /// What is wrong with a request object.
    enum Fault: String, CaseIterable, Sendable {
        case otherKey, flippedSignature, algNone, algHMAC, typJWT, typMissing, expired, noExpiry, longLived
        case notYetValid, noNotBefore, oldNotBefore, otherAudience, endpointAsAudience, noAudience, otherIssuer
        case noIssuer, otherClient, noClient, aboutSomebody, nestedRequest, nestedURI, notJSON, empty, oversized
    }

    @Test(arguments: Fault.allCases)
    func `attack 44, jar_alg_none, jar_bad_sig, jar_expired, jar_wrong_aud, jar_nbf_over_60`(
        _ fault: Fault
    ) async throws {
        let (server, client) = try await Self.server()
        let attempt = client.attempt()
        let object = try await Self.faulty(fault, client, attempt.parameters)
        let error = fault == .empty ? "invalid_request" : "invalid_request_object"
        let pushed = try await client.post("/par", ["client_id": "signed", "request": object])
        expect(pushed, isError: error)
        // Nothing was said yet that could be believed: the browser is sent nowhere.
        expect(await server.get(Self.target(object)), isErrorPageWith: error)
    }

    @Test
    func `attack 147, request_object_replayed_jti: with jti, a request object works once, in the browser or pushed`()
        async throws
    {
        let (server, client) = try await Self.server()
        let browser = try await server.signedInBrowser()
        for isPushedFirst in [false, true] {
            let object = try await Self.object(client, client.attempt().parameters) { claims in
                claims["jti"] = .string("once-\(isPushedFirst)")
            }
            if isPushedFirst {
                #expect(try await client.post("/par", ["client_id": "signed", "request": object]).status == 201)
            } else {
                #expect(try await browser.follow(await browser.get(Self.target(object))).status == 200)
            }
            // A server whose clock is ahead forgets nothing that others accept: for 60 seconds, and 10 more.
            _ = try await server.storage.deleteExpired(at: server.clock.now() + .seconds(71), limit: 1000)
            let again = try await client.post("/par", ["client_id": "signed", "request": object])
            expect(again, isError: "invalid_request_object")
            #expect(try await browser.get(Self.target(object)).callback()["error"] == "invalid_request_object")
        }
        // A request that is rejected for something else does not use it up.
        let strange = try await Self.object(client, client.attempt().parameters.with("scope", "admin")) { claims in
            claims["jti"] = "strange"
        }
        for _ in 0..<2 {
            expect(
                try await client.post("/par", ["client_id": "signed", "request": strange]),
                isError: "invalid_scope"
            )
        }
    }

    @Test func `a request that is asked for a nonce uses up no request object`() async throws {
        let storage = MemoryAuthorizationStorage()
        let server = try await RotatingServer(storage: storage, recordsProofsInStorage: true).server
        let registration = try ServerUnderTest.client("signed", redirectURIs: ["https://app.example.com/callback"])
        _ = try await server.storage.add(registration.with { $0.jwks = JWKSet([try TestKey.p256(7).publicKey]) })
        let client = FakeClient(server, clientID: "signed", key: try TestKey.p256(2))
        try await client.fetchNonce()
        // Another server starts a new replay memory, which this one learns when it records the proof.
        storage.startReplayMemory(ReplayEpoch(startingAt: server.clock.now(), entropy: SeededEntropy(seed: 5)))
        let object = try await Self.object(client, client.attempt().parameters) { claims in claims["jti"] = "once" }
        let form: FormParameters = ["client_id": "signed", "request": object]
        expect(try await client.postOnce("/par", form), isError: "use_dpop_nonce")
        #expect(try await client.postOnce("/par", form).status == 201)
        expect(try await client.postOnce("/par", form), isError: "invalid_request_object")
    }

    @Test func `the page for a request object with jti can be reloaded, and another browser cannot use the object`()
        async throws
    {
        let (server, client) = try await Self.server(mustSign: true)
        let (browser, attempt) = (FakeBrowser(server), client.attempt())
        let target = Self.target(
            try await Self.object(client, attempt.parameters) { claims in claims["jti"] = "once" }
        )
        let redirect = await browser.get(target)
        let place = try #require(redirect.fields["Location"])
        #expect(redirect.status == 303 && place.hasPrefix("/authorize?client_id=signed&request_uri="))
        // The browser shows that address now, and reloads it.
        for _ in 0..<3 { #expect(await browser.get(place).text.contains("password")) }
        let other = try await server.signedInBrowser(as: "bob")
        #expect(try await other.get(target).callback()["error"] == "invalid_request_object")
        let consent = try await browser.follow(try await browser.logIn(on: await browser.get(place)))
        #expect(consent.text.contains("decision"))
        #expect(await browser.get(place).text.contains("decision"))
        // After the sign-in the request is of this browser only.
        expect(await other.get(place), isErrorPageWith: "access_denied", status: 403)
        let code = try #require(try await browser.decide("allow", on: consent).callback()["code"])
        #expect(try await client.redeem(code, attempt).status == 200)
        expect(await browser.get(place), isErrorPageWith: "invalid_request_uri")
    }

    @Test func `a request object with jti that needs no page leads straight to the client`() async throws {
        let (server, client) = try await Self.server()
        let browser = try await server.signedInBrowser()
        let silent = client.attempt().parameters.adding("prompt", "none")
        let object = try await Self.object(client, silent) { claims in claims["jti"] = "silent" }
        let answer = try await browser.follow(await browser.get(Self.target(object))).callback()
        #expect(answer["error"] == "consent_required")
    }

    private static func faulty(
        _ fault: Fault,
        _ client: FakeClient,
        _ parameters: FormParameters
    ) async throws -> String {
        let now = client.server.clock.now().secondsSince1970
        let number: (Int64) -> JSONValue = { .number(JSONNumber(now + $0)) }
        let claims: [Fault: (String, JSONValue?)] = [
            .expired: ("exp", number(-11)), .noExpiry: ("exp", nil), .longLived: ("exp", number(3700)),
            .notYetValid: ("nbf", number(61)), .noNotBefore: ("nbf", nil), .oldNotBefore: ("nbf", number(-3700)),
            .otherAudience: ("aud", "https://other.example.com"),
            .endpointAsAudience: ("aud", .string(ServerUnderTest.issuer + "/authorize")), .noAudience: ("aud", nil),
            .otherIssuer: ("iss", "app"), .noIssuer: ("iss", nil), .otherClient: ("client_id", "app"),
            .noClient: ("client_id", nil), .aboutSomebody: ("sub", "signed"), .nestedRequest: ("request", "x"),
            .nestedURI: ("request_uri", "urn:x"), .oversized: ("x", .string(String(repeating: "a", count: 9000))),
        ]
        if let (name, value) = claims[fault] {
            return try await object(client, parameters) { $0[name] = value }
        }
        let good = try await object(client, parameters)
        let parts = good.split(separator: ".").map(String.init)
        switch fault {
        case .otherKey: return try await object(client, parameters, by: TestKey.p256(8))
        case .flippedSignature: return try await object(client, parameters.with("state", "x")) + "A"
        case .algNone: return unsigned(#"{"alg":"none","typ":"oauth-authz-req+jwt"}"#, parts[1])
        case .algHMAC:
            return unsigned(#"{"alg":"HS256","typ":"oauth-authz-req+jwt"}"#, parts[1]) + parts[2]
        case .typJWT: return try await object(client, parameters, header: ["typ": "JWT"])
        case .typMissing: return try await object(client, parameters, header: ["typ": .null])
        case .notJSON: return "x"
        default: return ""
        }
    }

    private static func unsigned(_ header: String, _ payload: String) -> String {
        Base64URL.encode(Array(header.utf8)) + "." + payload + "."
    }

    @Test func `request and request_uri exclude each other, and a request is not pushed as a reference`() async throws {
        let (server, client) = try await Self.server()
        let attempt = client.attempt()
        let requestURI = try await client.push(attempt).string("request_uri")
        let object = try await Self.object(client, attempt.parameters)
        expect(
            await server.get(Self.target(object, ["request_uri": requestURI])),
            isErrorPageWith: "invalid_request"
        )
        let both: FormParameters = ["client_id": "signed", "request": object, "request_uri": requestURI]
        expect(try await client.post("/par", both), isError: "invalid_request")
        let elsewhere: FormParameters = ["client_id": "signed", "request_uri": "https://app.example.com/request.jwt"]
        expect(await server.get("/authorize?" + elsewhere.encoded()), isErrorPageWith: "invalid_request_uri")
    }

    @Test(arguments: [true, false])
    func `who must sign is rejected without, pushed or not`(isServer: Bool) async throws {
        let (server, client) = try await Self.server(mustSign: !isServer) { $0.requireSignedRequestObject = isServer }
        let attempt = client.attempt()
        expect(try await client.push(attempt), isError: "invalid_request")
        expect(await server.get(client.directTarget(attempt)), isErrorPageWith: "invalid_request")
        let metadata = await server.get("/.well-known/oauth-authorization-server").json
        #expect(metadata["require_signed_request_object"] == (isServer ? true : nil))
    }

    @Test func `a client signs with the algorithm that it is registered for, and one without keys not at all`()
        async throws
    {
        var narrow = try ServerUnderTest.client("signed", redirectURIs: ["https://app.example.com/callback"])
        narrow.jwks = JWKSet([try TestKey.p256(7).publicKey])
        narrow.requestObjectSigningAlgorithm = .ps256
        for registration in [
            narrow, narrow.with { ($0.jwks, $0.requestObjectSigningAlgorithm) = (JWKSet([]), nil) },
        ] {
            let server = try await ServerUnderTest.inMemory(clients: [registration])
            let client = FakeClient(server, clientID: "signed", key: try TestKey.p256(2))
            let object = try await Self.object(client, client.attempt().parameters)
            let pushed = try await client.post("/par", ["client_id": "signed", "request": object])
            expect(pushed, isError: "invalid_request_object")
        }
    }
}

extension RegisteredClient {
    fileprivate func with(_ change: (inout RegisteredClient) throws -> Void) rethrows -> RegisteredClient {
        var client = self
        try change(&client)
        return client
    }
}
