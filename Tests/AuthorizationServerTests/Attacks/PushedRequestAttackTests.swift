// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Attacks on pushed authorization requests, RFC 9126", .overSocketsOnEveryStore)
struct PushedRequestAttackTests {
    @Test func `attack 35, request_uri_reuse`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let (attempt, browser) = (client.attempt(), try await server.signedInBrowser())
        let target = try await client.pushedTarget(attempt)
        let page = await browser.get(target)
        let code = try #require(try await browser.decide("allow", on: page).callback()["code"])

        expect(await browser.get(target), isErrorPageWith: "invalid_request_uri")
        expect(try await browser.decide("allow", on: page), isErrorPageWith: "invalid_request_uri")
        try await expectStillWorks(code, of: client, attempt)
    }

    @Test func `attack 35, a request that was denied is spent too`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let browser = try await server.signedInBrowser()
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        #expect(try await browser.decide("deny", on: page).callback()["error"] == "access_denied")
        expect(try await browser.decide("allow", on: page), isErrorPageWith: "invalid_request_uri")
        expect(try await browser.decide("deny", on: page), isErrorPageWith: "invalid_request_uri")
    }

    @Test func `attack 35, of 32 answers at the same time one gets a code`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let browser = try await server.signedInBrowser()
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        let answers = try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            for _ in 0..<32 { group.addTask { @concurrent in try await browser.decide("allow", on: page) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == 303 }.count == 1)
    }

    @Test func `attack 36, request_uri_expired`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let browser = try await server.signedInBrowser()
        let target = try await client.pushedTarget(client.attempt())
        server.clock.advance(by: .seconds(589))
        let page = await browser.get(target)
        #expect(page.status == 200)
        server.clock.advance(by: .seconds(1))
        expect(await browser.get(target), isErrorPageWith: "invalid_request_uri")
        expect(try await browser.decide("allow", on: page), isErrorPageWith: "invalid_request_uri")
    }

    @Test func `attack 37, request_uri_other_client`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let browser = try await server.signedInBrowser()
        let target = try await client.pushedTarget(client.attempt())
        for replacement in ["client_id=other", "client_id=unknown", "client_id=APP", "x=app"] {
            let stolen = target.replacing("client_id=app", with: replacement)
            let answer = await browser.get(stolen)
            #expect(answer.status == 400)
            #expect(answer.fields["Location"] == nil)
        }
        #expect(await browser.get(target).status == 200)
    }

    @Test(arguments: [
        "urn:ietf:params:oauth:request_uri:none", "urn:ietf:params:oauth:request_uri:",
        "https://evil.example/request.jwt",
        "http://127.0.0.1/", "none",
    ])
    func `a request_uri that is not of this server is neither fetched nor followed`(requestURI: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        let parameters = try FakeClient(server).attempt().parameters.with("request_uri", requestURI)
        expect(await server.get("/authorize?" + parameters.encoded()), isErrorPageWith: "invalid_request_uri")
    }

    @Test(arguments: ["urn:ietf:params:oauth:request_uri:x", ""])
    func `attack 38, request_uri_inside_par_body`(requestURI: String) async throws {
        let client = try FakeClient(try await ServerUnderTest.inMemory())
        var attempt = client.attempt()
        attempt.parameters.append("request_uri", requestURI)
        expect(try await client.push(attempt), isError: "invalid_request")
    }

    @Test func `attack 39, par of a client that is unknown or sends a secret it does not have`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        for change: (FormParameters) -> FormParameters in [
            { $0.with("client_id", "unknown") }, { $0.with("client_secret", "x") },
            { $0.with("client_assertion", "x") },
        ] {
            var attempt = client.attempt()
            attempt.parameters = change(attempt.parameters)
            expect(try await client.push(attempt), isError: "invalid_client")
        }
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("client_id", nil)
        expect(try await client.push(attempt), isError: "invalid_request")
    }

    @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "post"])
    func `attack 40, par_get_is_405`(method: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        let response = await server.send(HTTPRequest(method: method, target: "/par?client_id=app"))
        #expect(response.status == 405)
        #expect(response.fields["Allow"] == "POST")
    }

    @Test(arguments: [true, false])
    func `attack 41, authorize_without_par_when_required`(isServersRule: Bool) async throws {
        var registered = try ServerUnderTest.client("pushing", redirectURIs: ["https://app.example.com/callback"])
        registered.requirePushedAuthorizationRequests = !isServersRule
        let server = try await ServerUnderTest.inMemory(clients: [registered]) {
            $0.requirePushedAuthorizationRequests = isServersRule
        }
        let client = FakeClient(server, clientID: "pushing", key: try TestKey.p256(2))
        expect(await server.get(client.directTarget(client.attempt())), isErrorPageWith: "invalid_request")
        #expect(try await client.signIn().status == 200)
    }

    @Test func `attack 42, front_channel_params_override_par`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let (attempt, attacker) = (client.attempt(), client.attempt())
        let browser = try await server.signedInBrowser()
        let extra: FormParameters = [
            "redirect_uri": "com.example.app:/callback", "scope": "api:write", "state": attacker.state,
            "code_challenge": attacker.parameters["code_challenge"] ?? "", "dpop_jkt": "x", "response_type": "token",
        ]
        let page = await browser.get(try await client.pushedTarget(attempt) + "&" + extra.encoded())
        #expect(!page.text.contains("api:write"))
        let answer = try await browser.decide("allow", on: page)
        #expect(answer.fields["Location"]?.hasPrefix(client.redirectURI) == true)
        #expect(try answer.callback()["state"] == attempt.state)
        let tokens = try await client.redeem(try #require(try answer.callback()["code"]), attempt)
        #expect(try tokens.string("scope") == "api:read")
    }

    @Test func `attack 43, par_dpop_jkt_vs_header_mismatch`() async throws {
        let client = try FakeClient(try await ServerUnderTest.inMemory())
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters
            .with("dpop_jkt", try TestKey.p256(9).publicKey.thumbprint.description)
        expect(try await client.push(attempt), isError: "invalid_dpop_proof")
        attempt.parameters = attempt.parameters.with("dpop_jkt", client.thumbprint)
        #expect(try await client.push(attempt).status == 201)
    }

    @Test func `a response mode that is not supported is rejected, not ignored`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("response_mode", "fragment")
        expect(try await client.push(attempt), isError: "invalid_request")
        #expect(try await server.get(client.directTarget(attempt)).callback()["error"] == "invalid_request")
    }
}

@Suite("Mix-up and metadata, RFC 9207 and RFC 8414", .overSocketsOnEveryStore)
struct MixUpAttackTests {
    @Test func `attack 45, iss_present_in_success_and_error`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let browser = try await server.signedInBrowser()
        for decision in ["allow", "deny"] {
            let page = await browser.get(try await client.pushedTarget(client.attempt()))
            let callback = try await browser.decide(decision, on: page).callback()
            #expect(callback.values(for: "iss") == [ServerUnderTest.issuer])
        }
        let error = try await server.get(client.directTarget(client.attempt()) + "&response_mode=fragment").callback()
        #expect(error.values(for: "iss") == [ServerUnderTest.issuer])
        let metadata = await server.get("/.well-known/oauth-authorization-server").json
        #expect(metadata["authorization_response_iss_parameter_supported"] == true)
    }

    @Test func `attack 46, metadata_issuer_exact`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let response = await server.send(
            HTTPRequest(target: "/.well-known/oauth-authorization-server", fields: ["Host": "evil.example"])
        )
        #expect(response.json["issuer"] == .string(ServerUnderTest.issuer))
        #expect(!response.text.contains("evil.example"))
    }

    @Test func `attack 46, cors_absent_on_authorize`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let fields: HTTPFields = ["Origin": "https://evil.example"]
        for target in [client.directTarget(client.attempt()), "/authorize", "/login", "/consent", "/token", "/par"] {
            let response = await server.send(HTTPRequest(target: target, fields: fields))
            #expect(response.fields["Access-Control-Allow-Origin"] == nil)
        }
    }
}
