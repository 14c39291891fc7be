// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite(
    "Attacks on sign-in without a browser: requests, OAuth 2.0 for First-Party Applications section 5",
    .overSocketsOnEveryStore
)
struct FirstPartyRequestAttackTests {
    @Test func `attack 201, fp_pkce_missing`() async throws {
        let app = try await FirstPartyApp(try await FirstPartyApp.server())
        let parameters = app.client.attempt().parameters
        let without = parameters.with("code_challenge", nil)
        expect(try await app.post(without), isError: "invalid_request")
        expect(try await app.post(without.with("code_challenge_method", nil)), isError: "invalid_request")
        #expect(try await app.post(parameters).status == 403)
    }

    @Test func `attack 202, fp_pkce_plain, method_absent, noncanonical`() async throws {
        let app = try await FirstPartyApp(try await FirstPartyApp.server())
        let parameters = app.client.attempt().parameters
        let challenge = try #require(parameters["code_challenge"])
        let last = try #require(challenge.last)
        // The last character has two bits that belong to no byte.
        let twin = String(challenge.dropLast()) + String(UnicodeScalar(try #require(last.asciiValue) + 1))
        let faults: [FormParameters] = [
            parameters.with("code_challenge_method", "plain"), parameters.with("code_challenge_method", nil),
            parameters.with("code_challenge", String(challenge.dropLast())),
            parameters.with("code_challenge", challenge + "A"), parameters.with("code_challenge", twin),
        ]
        for fault in faults { expect(try await app.post(fault), isError: "invalid_request") }
        #expect(try await app.post(parameters).status == 403)
    }

    @Test func `attack 203, fp_pkce_challenge_reused`() async throws {
        let app = try await FirstPartyApp(try await FirstPartyApp.server())
        let attempt = app.client.attempt()
        let (first, second) = (try await app.session(attempt), try await app.session(attempt))
        try await app.expectGoesOn(first)
        expect(try await app.answer(second), isError: "invalid_request")
        expectSessionRejected(try await app.answer(second))
    }

    @Test func `attack 203, the same challenge by the app and by a browser`() async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        for pushesBefore in [true, false] {
            let attempt = app.client.attempt()
            let session = try await app.session(attempt)
            let redirected = try await app.post([
                "auth_session": try await app.session(attempt), "step": "redirect_to_web",
            ])
            let uri =
                try pushesBefore
                ? await app.client.push(attempt).string("request_uri") : redirected.string("request_uri")
            let target: FormParameters = ["client_id": "notes", "request_uri": uri]
            try await app.expectGoesOn(session)
            let browser = try await server.signedInBrowser()
            let page = await browser.get("/authorize?" + target.encoded())
            let answer = try await browser.decide("allow", on: page)
            #expect(try answer.callback()["error"] == "invalid_request")
        }
    }

    @Test func `attack 204, fp_no_proof, dpop_jkt_only, jkt_of_other_key`() async throws {
        let server = try await FirstPartyApp.server {
            $0.firstParty.allowsUnattestedClients = true
            $0.requireDPoP = false
        }
        for clientID in ["notes", "open"] {
            let open = FirstPartyApp(FakeClient(server, clientID: "open", key: try TestKey.p256(2)))
            let app = try await clientID == "notes" ? FirstPartyApp(server) : open
            let bare = FakeClient(server, clientID: clientID, key: nil, standing: app.client.standing)
            let parameters = app.client.attempt().parameters
            let named = parameters.adding("dpop_jkt", app.client.thumbprint)
            expect(try await bare.post(FirstPartyApp.path, parameters), isError: "invalid_dpop_proof")
            expect(try await bare.post(FirstPartyApp.path, named), isError: "invalid_dpop_proof")
            let other = parameters.adding("dpop_jkt", try TestKey.p256(3).publicKey.thumbprint.description)
            expect(try await app.post(other), isError: "invalid_dpop_proof")
            let proof = try #require(try await app.client.proof(for: FirstPartyApp.path))
            expect(try await app.post(parameters, fields: ["DPoP": proof]), isError: "invalid_dpop_proof")
            #expect(try await app.post(named).status == 403)
        }
    }

    @Test func `attack 205, fp_third_party_client`() async throws {
        let server = try await FirstPartyApp.server()
        expect(try await FirstPartyApp(server, "third").begin(), isError: "unauthorized_client")
        let open = FirstPartyApp(FakeClient(server, clientID: "open", key: try TestKey.p256(2)))
        expect(try await open.begin(), isError: "unauthorized_client")
        let app = FirstPartyApp(try FakeClient(server))
        expect(try await app.begin(), isError: "unauthorized_client")
        var client = try AttestedApp.registration("shop")
        (client.isFirstParty, client.grantTypes) = (true, [.deviceCode])
        let stored = try #require(try await server.storage.client("shop"))
        client.changedBy = stored.changedBy
        #expect(try await server.storage.replace(client, by: WriteAttempt(id: 1)))
        expect(try await FirstPartyApp(server, "shop").begin(), isError: "unauthorized_client")
        #expect(try await FirstPartyApp(server).begin().status == 403)
    }

    @Test func `attack 205, a client does not make itself a first-party one`() async throws {
        let server = try await FirstPartyApp.server {
            $0.firstParty.allowsUnattestedClients = true
            $0.unregisteredClients.isRegistrationOpen = true
            $0.unregisteredClients.scope = try? Scope(parsing: "api:read")
        }
        let metadata: JSONObject = [
            "redirect_uris": ["com.example.third:/callback"], "token_endpoint_auth_method": "none",
            "first_party": true, "scope": "api:read",
        ]
        let request = HTTPRequest(
            method: "POST",
            target: "/register",
            fields: ["Content-Type": "application/json"],
            body: JSONValue.object(metadata).encoded()
        )
        let registered = await server.send(request)
        #expect(registered.status == 201, "\(registered.text)")
        #expect(registered.json["first_party"] == nil)
        let clientID = try registered.string("client_id")
        #expect(try await server.storage.client(clientID)?.isFirstParty == false)
        let client = FakeClient(
            server,
            clientID: clientID,
            redirectURI: "com.example.third:/callback",
            key: try TestKey.p256(2)
        )
        expect(try await FirstPartyApp(client).begin(), isError: "unauthorized_client")
    }

    @Test func `attack 206, fp_mixed_requests`() async throws {
        let app = try await FirstPartyApp(try await FirstPartyApp.server())
        let attempt = app.client.attempt()
        let session = try await app.session(attempt)
        let answer = FirstPartyApp.answer(session)
        let smuggled = [
            ("scope", "api:read api:write"), ("resource", ServerUnderTest.audience), ("state", "x"),
            ("code_challenge", try #require(app.client.attempt().parameters["code_challenge"])),
            ("redirect_uri", "https://evil.example/"), ("acr_values", "x"), ("request", "e30.e30.AA"),
            ("response_type", "token"), ("code", "123456"), ("credential", "{}"),
        ]
        for (name, value) in smuggled {
            expect(try await app.post(answer.adding(name, value)), isError: "invalid_request")
        }
        let first = app.client.attempt().parameters
        for parameters in [
            first.adding("step", "password"), first.adding("password", FirstPartyApp.password),
            first.adding("username", "ada"),
            first.adding("request_uri", "urn:ietf:params:oauth:request_uri:x"),
        ] {
            expect(try await app.post(parameters), isError: "invalid_request")
        }
        let code = try await app.answer(session).string("authorization_code")
        #expect(try await app.client.redeem(code, attempt).string("scope") == "api:read")
    }

    @Test(arguments: [nil, "first_party=1&anything=else"])
    func `must be accepted: parameters that nobody knows in a first request`(extra: String?) async throws {
        let app = try await FirstPartyApp(try await FirstPartyApp.server())
        let more = try FormParameters(decoding: extra ?? "")
        try await app.expectGoesOn(try await app.session(nil, more))
    }

    @Test func `attack 245, fp_from_a_browser`() async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        let session = try await app.session()
        for origin in ["https://evil.example", ServerUnderTest.issuer, "null"] {
            let first = try await app.post(app.client.attempt().parameters, fields: ["Origin": origin])
            expect(first, isError: "access_denied", status: 403)
            let answer = try await app.answer(session, fields: ["Origin": origin])
            expect(answer, isError: "access_denied", status: 403)
            #expect(answer.fields["Access-Control-Allow-Origin"] == nil)
        }
        let preflight = HTTPRequest(
            method: "OPTIONS",
            target: FirstPartyApp.path,
            fields: ["Origin": "https://evil.example", "Access-Control-Request-Method": "POST"]
        )
        let refused = await server.send(preflight)
        #expect(refused.status == 405)
        #expect(refused.fields["Access-Control-Allow-Origin"] == nil)
        let browser = try await server.signedInBrowser()
        let cookie = try #require(browser.cookies.first.map { "\($0.key)=\($0.value)" })
        let asked = try await app.post(app.client.attempt().parameters, fields: ["Cookie": cookie])
        expect(asked, isError: "insufficient_authorization", status: 403)
        let finished = try await app.answer(session, fields: ["Cookie": cookie])
        #expect(finished.status == 200)
        #expect(finished.fields["Set-Cookie"] == nil && asked.fields["Set-Cookie"] == nil)
    }

    @Test func `attack 246, fp_method_and_content_type`() async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        for method in ["GET", "HEAD", "PUT", "DELETE"] {
            let response = await server.send(HTTPRequest(method: method, target: FirstPartyApp.path))
            #expect(response.status == 405)
            #expect(response.fields["Allow"] == "POST")
        }
        let session = try await app.session()
        for query in ["?auth_session=\(session)", "?password=x"] {
            let answer = try await app.client.post(FirstPartyApp.path + query, FirstPartyApp.answer(session))
            expect(answer, isError: "invalid_request")
        }
        for type in ["application/json", "multipart/form-data; boundary=x", "text/plain"] {
            let response = try await app.answer(session, fields: ["Content-Type": type])
            expect(response, isError: "invalid_request", status: 415)
        }
        let elsewhere = await server.post(FirstPartyApp.path + "/", FirstPartyApp.answer(session))
        #expect(elsewhere.status == 404)
        try await app.expectGoesOn(session)
    }

    @Test func `attack 247, fp_oversized_malformed`() async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        let session = try await app.session()
        let answer = FirstPartyApp.answer(session)
        let large = try await app.post(answer.with("password", String(repeating: "x", count: 65_536)))
        #expect(large.status == 413)
        var many = answer
        for index in 0..<62 { many.append("x\(index)", "x") }
        let faults: [FormParameters] =
            [
                many, answer.with("username", String(repeating: "n", count: 257)),
                answer.with("username", "a\u{0}b"), answer.with("username", "   "), answer.with("username", nil),
                answer.with("password", ""), answer.with("password", String(repeating: "x", count: 1025)),
                answer.with("password", nil),
            ] + answer.all.map { answer.adding($0.name, $0.value) }
        for fault in faults { expect(try await app.post(fault), isError: "invalid_request") }
        for body in ["auth_session=%ZZ&step=password", "auth_session=%FF&step=password"] {
            var request = HTTPRequest.form(FirstPartyApp.path, [:])
            request.body = Array(body.utf8)
            expect(await server.send(request), isError: "invalid_request")
        }
        // None of them was judged: all ten guesses are left.
        var value = session
        for _ in 0..<4 { value = try expectAskedAgain(try await app.answer(value, password: "wrong")) }
        try await app.expectGoesOn(value)
    }

    @Test func `attack 248, fp_secrets_kept`() async throws {
        let events = RecordedEvents()
        let server = try await FirstPartyApp.server(audit: events)
        let app = try await FirstPartyApp(server)
        let (typed, wrong) = ("name-that-nobody-has", "marked wrong password")
        var values = [try await app.session()]
        values.append(try expectAskedAgain(try await app.answer(values[0], as: typed, password: wrong)))
        let finished = try await app.answer(values[1])
        values.append(try finished.string("auth_session"))
        let secrets = values + [typed, wrong, FirstPartyApp.password, try finished.string("authorization_code")]
        let log =
            server.reports.all + events.all.map { String(decoding: JSONValue.object($0.json).encoded(), as: UTF8.self) }
        for secret in secrets {
            #expect(!log.contains { $0.contains(secret) }, "\(secret)")
            for file in try ServerStage.storedFiles() {
                #expect(file.bytes.firstRange(of: Array(secret.utf8)) == nil, "\(secret) is in \(file.name)")
            }
        }
        for response in [finished, try await app.answer(values[0]), try await app.begin(nil, ["x": wrong])] {
            #expect(response.fields.values(for: "Cache-Control") == ["no-store"])
            #expect(!response.text.contains(wrong) && !response.text.contains(FirstPartyApp.password))
        }
    }
}
