// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthSystem
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("How a person signed in: acr, amr and auth_time, RFC 9470", .overSocketsOnEveryStore)
struct AuthenticationContextTests {
    private static let saml = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"

    private func claims(ofAccessToken tokens: HTTPResponse) throws -> JSONObject {
        try CompactJWS(parsing: tokens.string("access_token")).payloadObject()
    }

    /// Signs in with the password, and answers the tokens.
    private func logIn(_ openID: OpenIDServer, _ more: FormParameters = [:]) async throws -> (FakeClient, HTTPResponse)
    {
        let (client, browser) = (try openID.client(), FakeBrowser(openID.server))
        let attempt = openID.attempt(client, more)
        let login = try await browser.logIn(on: await browser.get(try await client.pushedTarget(attempt)))
        let answer = try await browser.decide("allow", on: try await browser.follow(login))
        return (client, try await client.redeem(try #require(try answer.callback()["code"]), attempt))
    }

    @Test(arguments: [nil, "urn:keybound:acr:password"])
    func `id_tokens and access tokens say how and when, also after a refresh`(_ name: String?) async throws {
        let openID = try await OpenIDServer { if let name { $0.passwordContext = name } }
        let start = openID.server.clock.now().secondsSince1970
        let (client, tokens) = try await logIn(openID, ["acr_values": "urn:example:gold \(name ?? Self.saml)"])
        openID.server.clock.advance(by: .seconds(100))
        let refreshed = try await client.refresh(try tokens.string("refresh_token"))
        for response in [tokens, refreshed] {
            for claims in [
                try await openID.claims(try response.string("id_token")), try claims(ofAccessToken: response),
            ] {
                #expect(claims["acr"]?.stringValue == name ?? Self.saml)
                #expect(claims["amr"]?.arrayValue == ["pwd"])
                #expect(claims["auth_time"]?.integerValue == start)
            }
        }
        let metadata = await openID.server.get("/.well-known/openid-configuration").json
        #expect(metadata["acr_values_supported"]?.arrayValue == [.string(name ?? Self.saml)])
    }

    @Test(arguments: ["urn:example:gold", "urn:example:gold urn:example:silver", "urn:oasis", saml + "s"])
    func `attack 129, acr_step_up_not_satisfied, when none of the ways exists`(_ values: String) async throws {
        let openID = try await OpenIDServer()
        let client = try openID.client()
        let attempt = openID.attempt(client, ["acr_values": values])
        expect(try await client.push(attempt), isError: "unmet_authentication_requirements")
        let callback = try await openID.server.get(client.directTarget(attempt)).callback()
        #expect(callback["error"] == "unmet_authentication_requirements")
        #expect(callback["state"] == attempt.state && callback["code"] == nil)
    }

    @Test func `attack 129, a session of another way asks for a login, and says so where no page may be shown`()
        async throws
    {
        let openID = try await OpenIDServer { $0.passwordContext = "urn:example:password" }
        // Who had signed in before this way got its name.
        let (client, browser) = (try openID.client(), try await openID.server.signedInBrowser())
        let wish: FormParameters = ["acr_values": "urn:example:password"]
        let login = await browser.get(try await client.pushedTarget(openID.attempt(client, wish)))
        #expect(try PageReader(login.text).text(of: "h1") == "Sign in")
        // The token of that page does not get around it.
        let forged = try FakeBrowser.form(of: login).hidden.adding("decision", "allow")
        let next = try await browser.follow(await browser.send(.form("/consent", forged)))
        #expect(try PageReader(next.text).text(of: "h1") == "Sign in")
        let silent = openID.attempt(client, ["acr_values": "urn:example:password", "prompt": "none"])
        let refused = await browser.get(try await client.pushedTarget(silent))
        #expect(try refused.callback()["error"] == "login_required")
        let consent = try await browser.follow(try await browser.logIn(on: login))
        #expect(try await browser.decide("allow", on: consent).callback()["code"] != nil)
        // From now on the session is good enough.
        let again = await browser.get(try await client.pushedTarget(openID.attempt(client, wish)))
        #expect(try PageReader(again.text).text(of: "h1")?.hasPrefix("Allow") == true)
    }

    @Test func `acr_values that are too long are rejected`() async throws {
        let openID = try await OpenIDServer()
        let client = try openID.client()
        let long = Self.saml + " " + String(repeating: "x", count: 1024)
        expect(try await client.push(openID.attempt(client, ["acr_values": long])), isError: "invalid_request")
    }

    @Test(arguments: ["", "two words", "\u{E9}", "line\n", String(repeating: "x", count: 257)])
    func `a name that acr_values cannot carry is no configuration`(_ name: String) async throws {
        await #expect(throws: AuthorizationServerError.self) {
            try await ServerUnderTest.inMemory { $0.passwordContext = name }
        }
    }
}
