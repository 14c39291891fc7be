// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import ServerStage
import StrictJSON
import TestSupport
import Testing

@Suite(
    "Attacks on client identification and on the form of requests, RFC 6749 sections 2.3 and 3.2",
    .overSocketsOnEveryStore
)
struct ClientAttackTests {
    /// Sends a token request with one fault: the server rejects it, and the correct one still works afterwards.
    private func expectRefusal(
        as error: String,
        status: Int = 400,
        fields: HTTPFields = [:],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (FormParameters) -> FormParameters = { $0 }
    ) async throws {
        let client = try FakeClient(try await ServerUnderTest.inMemory())
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let response = try await client.post("/token", change(client.exchange(code, attempt)), fields: fields)
        expect(response, isError: error, status: status, sourceLocation: sourceLocation)
        try await expectStillWorks(code, of: client, attempt, sourceLocation: sourceLocation)
    }

    @Test func `attack 47, a client that does not say who it is`() async throws {
        try await expectRefusal(as: "invalid_request") { $0.with("client_id", nil) }
        try await expectRefusal(as: "invalid_client") { $0.with("client_id", "unknown") }
    }

    @Test func `attack 47, a client_id that is the same character but not the same bytes`() async throws {
        let server = try await ServerUnderTest.inMemory(
            clients: [try ServerUnderTest.client("K", redirectURIs: ["https://app.example.com/callback"])]
        )
        let client = FakeClient(server, clientID: "K", key: try TestKey.p256(2))
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let kelvin = client.exchange(code, attempt).with("client_id", "\u{212A}")
        expect(try await client.post("/token", kelvin), isError: "invalid_client")
        let target = try await client.pushedTarget(client.attempt())
        let page = await server.get(target.replacing("client_id=K", with: "client_id=%E2%84%AA"))
        expect(page, isErrorPageWith: "invalid_request_uri")
        try await expectStillWorks(code, of: client, attempt)
    }

    @Test func `attack 48, two_client_auth_methods`() async throws {
        try await expectRefusal(as: "invalid_client") { $0.with("client_secret", "secret") }
        try await expectRefusal(as: "invalid_client") { $0.with("client_assertion", "a.b.c") }
        try await expectRefusal(as: "invalid_client", status: 401, fields: ["Authorization": "Basic YXBwOg=="])
        try await expectRefusal(as: "invalid_client", status: 401, fields: ["Authorization": "Bearer x"])
    }

    @Test func `attack 48, a 401 names a scheme`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let fields: HTTPFields = ["Authorization": "Basic YXBwOg=="]
        for path in ["/token", "/par", "/revoke"] {
            let parameters: FormParameters = [
                "grant_type": "refresh_token", "client_id": "app", "refresh_token": "x", "token": "x",
            ]
            let response = await server.post(path, parameters, fields: fields)
            expect(response, isError: "invalid_client", status: 401)
            #expect(response.fields["WWW-Authenticate"]?.hasPrefix("Basic ") == true)
        }
    }

    @Test(arguments: ["?client_secret=x", "?client_id=app", "?", "?code=x"])
    func `attack 49, secret_in_query`(query: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let token = try await client.signIn().string("refresh_token")
        for path in ["/token", "/par", "/revoke"] {
            let parameters = client.refreshing(token).with("token", token)
            expect(await server.post(path + query, parameters), isError: "invalid_request")
        }
        #expect(try await client.refresh(token).status == 200)
    }

    @Test func `attack 49, the query alone is no token request`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let token = try await client.signIn().string("refresh_token")
        expect(
            await server.post("/token?" + client.refreshing(token).encoded(), FormParameters()),
            isError: "invalid_request"
        )
        #expect(try await client.refresh(token).status == 200)
    }

    @Test(arguments: ["urn:ietf:params:oauth:grant-type:saml2-bearer", "CODE", "refresh_token "])
    func `attack 61, grant_not_allowed_for_client`(grantType: String) async throws {
        try await expectRefusal(as: "unsupported_grant_type") { $0.with("grant_type", grantType) }
    }

    @Test func `attack 61, no grant type at all`() async throws {
        try await expectRefusal(as: "invalid_request") { $0.with("grant_type", nil) }
    }

    @Test func `attack 62, ropc_and_implicit_absent`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let password: FormParameters = [
            "grant_type": "password", "client_id": "app", "username": "ada", "password": ServerUnderTest.password,
        ]
        expect(try await client.post("/token", password), isError: "unsupported_grant_type")
        let metadata = await server.get("/.well-known/oauth-authorization-server").json
        let grantTypes = metadata["grant_types_supported"]?.arrayValue ?? []
        #expect(!grantTypes.isEmpty && !grantTypes.contains("password") && !grantTypes.contains("implicit"))
        #expect(metadata["response_types_supported"] == ["code"])
    }

    @Test(arguments: ["GET", "HEAD", "PUT", "PATCH", "OPTIONS", "Post"])
    func `attack 63, get_on_token_endpoint`(method: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let parameters = client.exchange(code, attempt)
        for target in ["/token", "/token?" + parameters.encoded()] {
            var request = HTTPRequest.form(target, parameters)
            request.method = method
            let response = await server.send(request)
            #expect(response.status == 405)
            #expect(response.fields["Allow"] == "POST")
        }
        try await expectStillWorks(code, of: client, attempt)
    }

    @Test(arguments: [
        "application/json", "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencodedx",
        "application/x-www-form-urlencoded, application/json", "",
    ])
    func `attack 64, wrong_content_type`(type: String) async throws {
        try await expectRefusal(as: "invalid_request", status: 415, fields: ["Content-Type": type])
    }

    @Test func `attack 64, two content types, or none`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        var request = HTTPRequest.form("/token", client.refreshing("x"))
        request.fields.append(name: "Content-Type", value: "application/json")
        expect(await server.send(request), isError: "invalid_request", status: 415)
        request.fields["Content-Type"] = nil
        expect(await server.send(request), isError: "invalid_request", status: 415)
    }

    @Test(arguments: ["application/x-www-form-urlencoded; charset=UTF-8", "APPLICATION/X-WWW-FORM-URLENCODED"])
    func `a content type with a parameter, or in capitals, is accepted`(type: String) async throws {
        let client = try FakeClient(try await ServerUnderTest.inMemory())
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let fields: HTTPFields = ["Content-Type": type]
        #expect(try await client.post("/token", client.exchange(code, attempt), fields: fields).status == 200)
    }

    @Test func `attack 64, body over 64 KiB`() async throws {
        let server = try await ServerUnderTest.inMemory()
        for path in ["/token", "/par", "/revoke", "/authorize", "/login"] {
            #expect(await server.post(path, ["x": String(repeating: "a", count: 65_536)]).status == 413, "\(path)")
        }
    }

    @Test func `attack 64, 1000 params`() async throws {
        try await expectRefusal(as: "invalid_request") { parameters in
            (0..<1000).reduce(into: parameters) { $0.append("p\($1)", "x") }
        }
        let server = try await ServerUnderTest.inMemory()
        let target = (0..<1000).reduce(into: "/authorize?client_id=app") { $0 += "&p\($1)=x" }
        expect(await server.get(target), isErrorPageWith: "invalid_request")
    }

    @Test(arguments: ["a=%zz", "a=%", "a=%ff", "a=\u{1}"])
    func `attack 64, what is not a form`(body: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        for path in ["/token", "/par", "/revoke"] {
            var request = HTTPRequest.form(path, [:])
            request.body = Array(body.utf8)
            expect(await server.send(request), isError: "invalid_request")
        }
        // The listener rejects a control character in the target, with an error for programs.
        let answer = await server.get("/authorize?" + body)
        if body.contains("%") { expect(answer, isErrorPageWith: "invalid_request") }
        #expect(answer.status == 400)
    }

    @Test(arguments: [
        "/", "/token/", "/Token", "//token", "/token/..", "/%74oken", "/introspection", "/userinfo",
        "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/",
    ])
    func `addresses that there are not are 404, whatever the method`(target: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        for method in ["GET", "POST", "HEAD", "DELETE"] {
            let response = await server.send(HTTPRequest(method: method, target: target))
            #expect(response.status == 404)
            #expect(response.fields["Cache-Control"] == "no-store")
        }
    }
}

@Suite("Requests that listeners refuse, where they come to the engine all the same")
struct UnfilteredRequestTests {
    @Test func `attack 64, body over 64 KiB`() async throws {
        let server = try await ServerUnderTest.inMemory()
        for path in ["/token", "/par", "/revoke"] {
            let response = await server.post(path, ["x": String(repeating: "a", count: 65_536)])
            expect(response, isError: "invalid_request", status: 413)
        }
    }

    @Test func `attack 64, a control character in a query`() async throws {
        let server = try await ServerUnderTest.inMemory()
        expect(await server.get("/authorize?a=\u{1}"), isErrorPageWith: "invalid_request")
    }

    @Test(arguments: ["", "*", "https://auth.example.com/token"])
    func `addresses that there are not are 404, whatever the method`(target: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        for method in ["GET", "POST", "HEAD", "DELETE"] {
            let response = await server.send(HTTPRequest(method: method, target: target))
            #expect(response.status == 404)
            #expect(response.fields["Cache-Control"] == "no-store")
        }
    }
}

@Suite("Attacks on revocation, RFC 7009", .overSocketsOnEveryStore)
struct RevocationAttackTests {
    @Test func `attack 117, revoke_other_clients_token`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let tokens = try await client.signIn()
        let refreshToken = try tokens.string("refresh_token")
        for token in [refreshToken, try tokens.string("access_token")] {
            let response = await server.post("/revoke", ["client_id": "other", "token": token])
            // Section 2.2: the response does not reveal whether the token exists.
            #expect(response.status == 200 && response.body.isEmpty)
            let unknown = await server.post("/revoke", ["client_id": "unknown", "token": token])
            expect(unknown, isError: "invalid_client")
        }
        let status = try await client.refresh(refreshToken).status
        #expect(status == 200)
    }

    @Test(arguments: ["refresh_token", "access_token"])
    func `either token ends the grant, with any hint`(name: String) async throws {
        for hint in [nil, "refresh_token", "access_token", "nonsense"] {
            let server = try await ServerUnderTest.inMemory()
            let client = try FakeClient(server)
            let tokens = try await client.signIn()
            var parameters: FormParameters = ["client_id": "app", "token": try tokens.string(name)]
            if let hint { parameters.append("token_type_hint", hint) }
            let response = await server.post("/revoke", parameters)
            #expect(response.status == 200)
            #expect(response.fields["Cache-Control"] == "no-store")
            expect(try await client.refresh(try tokens.string("refresh_token")), isError: "invalid_grant")
            #expect(await server.post("/revoke", parameters).status == 200)
        }
    }

    @Test func `an access token that has expired still ends the grant`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let tokens = try await client.signIn()
        server.clock.advance(by: .seconds(3600))
        let token = try tokens.string("access_token")
        #expect(await server.post("/revoke", ["client_id": "app", "token": token]).status == 200)
        client.nonce = nil
        expect(try await client.refresh(try tokens.string("refresh_token")), isError: "invalid_grant")
    }

    @Test func `an access token that somebody else signed ends nothing`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let tokens = try await client.signIn()
        let genuine = try CompactJWS(parsing: try tokens.string("access_token"))
        let key = try #require(client.key)
        let forged = try await CompactJWS.sign(header: genuine.header, payload: genuine.payload, with: key)
        #expect(await server.post("/revoke", ["client_id": "app", "token": forged]).status == 200)
        #expect(try await client.refresh(try tokens.string("refresh_token")).status == 200)
    }

    @Test(arguments: ["nonsense", "a.b.c", ""])
    func `what is no token is answered like one, but a missing one is an error`(token: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        let response = await server.post("/revoke", ["client_id": "app", "token": token])
        if token.isEmpty {
            expect(response, isError: "invalid_request")
        } else {
            #expect(response.status == 200)
        }
    }
}
