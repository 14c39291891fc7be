// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import TestSupport
import Testing

@Suite("OAuth 2.0 Form Post Response Mode")
struct FormPostTests {
    private let server: ServerUnderTest
    private let client: FakeClient

    init() async throws {
        server = try await .inMemory()
        client = try FakeClient(server)
    }

    private func attempt(_ more: FormParameters = [:]) -> FakeClient.Attempt {
        var attempt = client.attempt()
        attempt.parameters.append("response_mode", "form_post")
        for parameter in more.all { attempt.parameters = attempt.parameters.with(parameter.name, parameter.value) }
        return attempt
    }

    /// The form that the browser posts to the client.
    private func form(
        _ page: HTTPResponse,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> FakeBrowser.Form {
        #expect(page.status == 200 && page.fields["Location"] == nil, sourceLocation: sourceLocation)
        return try FakeBrowser.form(of: page)
    }

    @Test func `the code is in a form for the redirect URI, with state and iss, and is worth tokens`() async throws {
        let browser = try await server.signedInBrowser()
        let attempt = attempt()
        let page = try await browser.decide("allow", on: await browser.get(try await client.pushedTarget(attempt)))
        let form = try form(page)
        #expect(form.action == client.redirectURI)
        #expect(form.hidden.all.map(\.name) == ["code", "state", "iss"])
        #expect(form.hidden["state"] == attempt.state && form.hidden["iss"] == ServerUnderTest.issuer)
        #expect(try await client.redeem(try #require(form.hidden["code"]), attempt).status == 200)
    }

    @Test func `the page allows its own script, its own style, and a form to that one origin`() async throws {
        let browser = try await server.signedInBrowser()
        let page = try await browser.decide("deny", on: await browser.get(try await client.pushedTarget(attempt())))
        let policy = try #require(page.fields["Content-Security-Policy"])
        #expect(policy.contains("default-src 'none'; script-src 'sha256-"))
        #expect(policy.contains("form-action 'self' https://app.example.com;"))
        #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
        #expect(page.fields["Cache-Control"] == "no-store" && page.fields["X-Frame-Options"] == "DENY")
        // The client sees who posts, and no address.
        #expect(page.fields["Referrer-Policy"] == "origin")
        // Without scripts there is a button.
        let reader = try PageReader(page.text)
        #expect(reader.all("button").map(\.text) == ["Continue"])
        #expect(reader.all("script").map(\.text) == ["document.forms[0].submit()"])
        // No other page allows this script.
        let consent = await browser.get(try await client.pushedTarget(attempt()))
        let allowed = try #require(policy.firstMatch(of: /script-src '([^']+)'/)).1
        #expect(consent.fields["Content-Security-Policy"]?.contains(allowed) == false)
    }

    @Test func `errors come as a form too, once the redirect URI is known to be the client's`() async throws {
        let browser = try await server.signedInBrowser()
        let denied = try await browser.decide("deny", on: await browser.get(try await client.pushedTarget(attempt())))
        #expect(try form(denied).hidden["error"] == "access_denied")
        let silent = await browser.get(try await client.pushedTarget(attempt(["prompt": "none"])))
        #expect(try form(silent).hidden["error"] == "consent_required")
        for wrong: FormParameters in [
            ["response_type": "token"], ["scope": "nothing"], ["code_challenge": "short"], ["prompt": "none login"],
        ] {
            let attempt = attempt(wrong)
            let hidden = try form(await browser.get(client.directTarget(attempt))).hidden
            #expect(hidden["error"] != nil && hidden["state"] == attempt.state && hidden["code"] == nil)
        }
        // RFC 6749 section 4.1.2.1, OAuth 2.0 Multiple Response Types: nowhere else, and no other way.
        let unregistered = attempt(["redirect_uri": "https://evil.example/"])
        expect(await browser.get(client.directTarget(unregistered)), isErrorPageWith: "invalid_request")
        for mode in ["fragment", "FORM_POST", "jwt", "web_message"] {
            let attempt = attempt(["response_mode": mode])
            expect(try await client.push(attempt), isError: "invalid_request")
            let answer = await browser.get(client.directTarget(attempt))
            #expect(try answer.status == 303 && answer.callback()["error"] == "invalid_request")
        }
    }

    @Test func `what is in the form is never markup`() async throws {
        let browser = try await server.signedInBrowser()
        let state = "\"><script>alert(1)</script>\u{0}'"
        let target = try await client.pushedTarget(attempt(["state": state]))
        let page = try await browser.decide("allow", on: await browser.get(target))
        #expect(!page.text.contains("<script>alert"))
        #expect(try PageReader(page.text).all("script").count == 1)
        #expect(try form(page).hidden["state"] == state.replacing("\u{0}", with: "\u{FFFD}"))
    }

    @Test func `a form cannot be posted to an app's own scheme`() async throws {
        let client = FakeClient(server, redirectURI: "com.example.app:/callback", key: client.key)
        var attempt = client.attempt()
        attempt.parameters.append("response_mode", "form_post")
        expect(try await client.push(attempt), isError: "invalid_request")
        let loopback = FakeClient(server, redirectURI: "http://127.0.0.1:4000/callback", key: client.key)
        attempt = loopback.attempt()
        attempt.parameters.append("response_mode", "form_post")
        #expect(try await loopback.push(attempt).status == 201)
    }

    @Test func `a consent that is remembered answers with a form as well`() async throws {
        let browser = try await server.signedInBrowser()
        let page = await browser.get(try await client.pushedTarget(attempt()))
        _ = try await browser.submit(page, ["decision": "allow", "remember": "yes"])
        let answer = await browser.get(try await client.pushedTarget(attempt(["prompt": "none"])))
        #expect(try form(answer).hidden["code"] != nil)
    }
}
