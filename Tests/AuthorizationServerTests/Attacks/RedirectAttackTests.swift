// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import ServerStage
import ServerStorage
import StrictJSON
import Testing

@Suite("Attacks on redirects, RFC 9700 section 4.1", .overSocketsOnEveryStore)
struct RedirectAttackTests {
    /// An unregistered redirect URI: the server shows a page, does not redirect, and stores no pushed request.
    private func expectRefusal(
        of redirectURI: String?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("redirect_uri", redirectURI)
        let answer = await server.get(client.directTarget(attempt))
        expect(answer, isErrorPageWith: "invalid_request", sourceLocation: sourceLocation)
        expect(try await client.push(attempt), isError: "invalid_request", sourceLocation: sourceLocation)
    }

    @Test(arguments: [nil, "", "https://evil.example.com/callback", "https://other.example.com/callback", "not a uri"])
    func `attack 23, redirect_unregistered_no_redirect`(redirectURI: String?) async throws {
        try await expectRefusal(of: redirectURI)
    }

    @Test(arguments: [
        "https://app.example.com/callback/../x", "https://app.example.com/callback%2f..",
        "https://app.example.com/callback?x",
        "https://app.example.com/CALLBACK", "https://app.example.com/callback/", "https://app.example.com/callbac",
        "https://app.example.com/%63allback", "https://app.example.com/./callback", "https://app.example.com//callback",
        "https://APP.example.com/callback", "https://app.example.com:443/callback", "https://app.example.com/callback ",
        "https://app.example.com.evil.example/callback", "https://app.example.com/callback;x",
        "https:app.example.com/callback",
    ])
    func `attack 24, redirect_prefix_suffix_path`(redirectURI: String) async throws {
        try await expectRefusal(of: redirectURI)
    }

    @Test(arguments: [
        "https://app.example.com@evil.example/callback", "https://app.example.com:x@evil.example/callback",
        "https://evil.example\\@app.example.com/callback", "https://user@app.example.com/callback",
    ])
    func `attack 25, redirect_userinfo_trick`(redirectURI: String) async throws {
        try await expectRefusal(of: redirectURI)
    }

    @Test(arguments: ["https://app.example.com/callback#", "https://app.example.com/callback#x"])
    func `attack 26, redirect_fragment`(redirectURI: String) async throws {
        try await expectRefusal(of: redirectURI)
    }

    /// Changes the registration of a client, as `client set` does it.
    private static func change(
        _ server: ServerUnderTest,
        _ change: (inout RegisteredClient) throws -> Void
    ) async throws {
        var client = try #require(try await server.storage.client("app"))
        try change(&client)
        #expect(try await server.storage.replace(client, by: WriteAttempt(entropy: server.entropy)))
    }

    private static func attempt(of client: FakeClient, scope: String) -> FakeClient.Attempt {
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("scope", scope)
        return attempt
    }

    @Test func `attack 23, a redirect URI that an operator removed gets nothing, not even for a request that waits`()
        async throws
    {
        let server = try await ServerUnderTest.inMemory()
        let (client, browser) = (try FakeClient(server), try await server.signedInBrowser())
        let target = try await client.pushedTarget(client.attempt())
        let page = await browser.get(target)
        let login = await FakeBrowser(server).get(target)
        #expect(page.text.contains("decision") && login.text.contains("password"))
        try await Self.change(server) { $0.redirectURIs.removeAll { $0 == client.redirectURI } }
        for decision in ["allow", "deny"] {
            expect(try await browser.decide(decision, on: page), isErrorPageWith: "invalid_request_uri")
        }
        expect(await browser.get(target), isErrorPageWith: "invalid_request_uri")
        expect(await server.get(target), isErrorPageWith: "invalid_request_uri")
        // Nothing was used up.
        try await Self.change(server) { $0.redirectURIs.append(client.redirectURI) }
        #expect(try await browser.decide("allow", on: page).callback()["code"] != nil)
    }

    @Test func `RFC 9126 section 4, a request that waits has only the scope that its client may still have`()
        async throws
    {
        let server = try await ServerUnderTest.inMemory()
        let (client, browser) = (try FakeClient(server), try await server.signedInBrowser())
        let attempt = Self.attempt(of: client, scope: "api:read api:write")
        let whole = try #require(try await server.storage.client("app")).scope
        let target = try await client.pushedTarget(attempt)
        try await Self.change(server) { $0.scope = try Scope(parsing: "api:write") }
        let page = await browser.get(target)
        #expect(page.text.contains("api:write") && !page.text.contains("read your notes"))
        let code = try #require(try await browser.decide("allow", on: page).callback()["code"])
        try await Self.change(server) { $0.scope = whole }
        let response = try await client.redeem(code, attempt)
        #expect(response.json["scope"] == "api:write", "what the user did not see is not granted: \(response.text)")
        let other = try await client.pushedTarget(client.attempt())
        try await Self.change(server) { $0.scope = try Scope(parsing: "api:write") }
        expect(await browser.get(other), isErrorPageWith: "invalid_scope")
    }

    @Test func `RFC 9126 section 4, scope that the client got back while the page was open is not granted`()
        async throws
    {
        let server = try await ServerUnderTest.inMemory()
        let (client, browser) = (try FakeClient(server), try await server.signedInBrowser())
        let attempt = Self.attempt(of: client, scope: "api:read api:write")
        let whole = try #require(try await server.storage.client("app")).scope
        let target = try await client.pushedTarget(attempt)
        try await Self.change(server) { $0.scope = try Scope(parsing: "api:read") }
        let page = await browser.get(target)
        try await Self.change(server) { $0.scope = whole }
        let answer = try await browser.decide("allow", on: page)
        let location = try #require(answer.fields["Location"])
        #expect(answer.status == 303 && location.hasPrefix("/authorize?"), "the page is shown again: \(location)")
        let again = await browser.get(location)
        let code = try #require(try await browser.decide("allow", on: again).callback()["code"])
        #expect(try await client.redeem(code, attempt).json["scope"] == "api:read api:write")
    }

    @Test func `attack 27, redirect_http_nonloopback`() async throws {
        try await expectRefusal(of: "http://app.example.com/callback")
    }

    @Test(arguments: [
        // loopback_other_path
        "http://127.0.0.1:8080/other", "http://127.0.0.1:8080/callback/", "http://127.0.0.1:8080/callback?x=1",
        "http://127.0.0.1:8080/", "http://127.0.0.1:8080/%63allback",
        // loopback_localhost_vs_127
        "http://localhost/callback", "http://localhost:8080/callback", "http://127.0.0.2:8080/callback",
        "http://127.1/callback", "http://2130706433/callback", "http://[::ffff:127.0.0.1]/callback",
        "http://127.0.0.1.evil.example/callback",
        // loopback_https_scheme_swap
        "https://127.0.0.1:8080/callback", "HTTP://127.0.0.1:8080/callback",
        // loopback_userinfo
        "http://127.0.0.1:8080@evil.example/callback", "http://evil@127.0.0.1:8080/callback",
        // and what is not a port
        "http://127.0.0.1:99999/callback", "http://127.0.0.1:8080/callback#x", "http://127.0.0.1:-1/callback",
    ])
    func `attack 28, loopback addresses that are not the registered one`(redirectURI: String) async throws {
        try await expectRefusal(of: redirectURI)
    }

    @Test(arguments: [
        "com.example.evil:/callback", "com.example.app:/other", "com.example.app://callback",
        "COM.EXAMPLE.APP:/callback",
    ])
    func `attack 29, a scheme of an app that is not the registered one`(redirectURI: String) async throws {
        try await expectRefusal(of: redirectURI)
    }

    @Test(arguments: [
        "javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "//evil.example/callback",
    ])
    func `attack 30, javascript_data_scheme_redirect`(redirectURI: String) async throws {
        try await expectRefusal(of: redirectURI)
    }

    @Test(arguments: [
        "https://app.example.com/callback", "com.example.app:/callback", "http://127.0.0.1:49152/callback",
        "http://[::1]:1/callback", "http://127.0.0.1/callback",
    ])
    func `registered addresses are accepted, loopback ones with any port`(redirectURI: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = FakeClient(server, redirectURI: redirectURI, key: try FakeClient(server).key)
        #expect(try await client.signIn().status == 200)
    }

    @Test func `a loopback port counts at the token endpoint`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = FakeClient(server, redirectURI: "http://127.0.0.1:5001/callback", key: try FakeClient(server).key)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let parameters = client.exchange(code, attempt).with("redirect_uri", "http://127.0.0.1:5002/callback")
        expect(try await client.post("/token", parameters), isError: "invalid_grant")
        try await expectStillWorks(code, of: client, attempt)
    }
}

@Suite("Attacks on the parameters of an authorization request", .overSocketsOnEveryStore)
struct AuthorizationParameterAttackTests {
    @Test(arguments: [
        "response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method", "x",
    ])
    func `attack 31, duplicate_param_each_endpoint, authorization and pushed authorization`(name: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        var attempt = client.attempt()
        if name == "x" { attempt.parameters.append("x", "1") }
        attempt.parameters.append(name, attempt.parameters[name] ?? "")
        expect(await server.get(client.directTarget(attempt)), isErrorPageWith: "invalid_request")
        expect(try await client.push(attempt), isError: "invalid_request")
    }

    @Test(arguments: ["grant_type", "client_id", "code", "redirect_uri", "code_verifier"])
    func `attack 31, duplicate_param_each_endpoint, token`(name: String) async throws {
        let client = try FakeClient(try await ServerUnderTest.inMemory())
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let parameters = client.exchange(code, attempt)
        for value in [parameters[name] ?? "", "", "other"] {
            expect(try await client.post("/token", parameters.adding(name, value)), isError: "invalid_request")
        }
        try await expectStillWorks(code, of: client, attempt)
    }

    @Test func `attack 31, duplicate_param_each_endpoint, refresh and revocation`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let token = try await client.signIn().string("refresh_token")
        let twice = client.refreshing(token).adding("refresh_token", token)
        expect(try await client.post("/token", twice), isError: "invalid_request")
        let parameters: FormParameters = ["client_id": "app", "token": token, "token": token]
        expect(await server.post("/revoke", parameters), isError: "invalid_request")
        #expect(try await client.refresh(token).status == 200)
    }

    @Test func `attack 32, code_pollution_in_redirect`() async throws {
        let administration = ServerAdministration(storage: MemoryAuthorizationStorage())
        for name in ["code", "state", "iss", "error", "%63ode"] {
            let client = try ServerUnderTest.client("c", redirectURIs: ["https://app.example.com/cb?\(name)=x"])
            await #expect(throws: AuthorizationServerError.self) { try await administration.addClient(client) }
        }
    }

    @Test func `attack 32, a registered query stays, and the answer comes after it`() async throws {
        let uri = "https://app.example.com/cb?tenant=a%20b"
        let server = try await ServerUnderTest.inMemory(
            clients: [try ServerUnderTest.client("query", redirectURIs: [uri])]
        )
        let client = FakeClient(server, clientID: "query", redirectURI: uri, key: try FakeClient(server).key)
        let attempt = client.attempt()
        let browser = try await server.signedInBrowser()
        let answer = try await browser.decide("allow", on: await browser.get(try await client.pushedTarget(attempt)))
        #expect(answer.fields["Location"]?.hasPrefix(uri + "&code=") == true)
        #expect(try answer.callback().values(for: "code").count == 1)
    }

    @Test(arguments: ["token", "id_token", "code token", "code id_token", "none", "CODE", "code code", ""])
    func `attack 33, response_type_token_and_hybrid_rejected`(responseType: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("response_type", responseType)
        let error = responseType.isEmpty ? "invalid_request" : "unsupported_response_type"
        expect(try await client.push(attempt), isError: error)
        let callback = try await server.get(client.directTarget(attempt)).callback()
        #expect(callback["error"] == error && callback["code"] == nil && callback["access_token"] == nil)
        #expect(callback["state"] == attempt.state && callback["iss"] == ServerUnderTest.issuer)
    }

    @Test func `attack 34, error_redirect_only_after_validation`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let good = client.attempt().parameters
        for bad in [
            good.with("client_id", "unknown"), good.with("client_id", nil),
            good.with("redirect_uri", "https://evil.example/"),
        ] {
            // Whatever other faults the request has, the server does not redirect.
            for request in [bad, bad.with("response_type", "token"), bad.with("scope", "admin")] {
                let answer = await server.get("/authorize?" + request.encoded())
                #expect(answer.status == 400)
                #expect(answer.fields["Location"] == nil)
                #expect(!answer.text.contains("evil.example"))
            }
        }
    }

    @Test func `attack 34, an invalid scope is told to the registered address only`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let browser = try await server.signedInBrowser()
        for scope in ["api:read admin", "api:read  api:write", "\"", "api:READ"] {
            var attempt = client.attempt()
            attempt.parameters = attempt.parameters.with("scope", scope)
            expect(try await client.push(attempt), isError: "invalid_scope")
            let answer = await browser.get(client.directTarget(attempt))
            #expect(answer.fields["Location"]?.hasPrefix(client.redirectURI + "?error=invalid_scope") == true)
            #expect(try answer.callback()["iss"] == ServerUnderTest.issuer)
        }
    }
}
