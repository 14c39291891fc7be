// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStage
import ServerStorage
import TestSupport
import Testing

@Suite("Error redirects and the user who is not there, RFC 9700 section 4.11.2", .overSocketsOnEveryStore)
struct ErrorRedirectTests {
    private static let nativeURI = "com.example.strange:/callback"

    /// A server with a client of the operator (`app`) and two that registered themselves: on the web, and on a device.
    private static func server(
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> ServerUnderTest {
        let clients = try [("strange", "https://strange.example/callback"), ("native", nativeURI)].map {
            clientID,
            uri in
            var client = try ServerUnderTest.client(clientID, redirectURIs: [uri])
            client.origin = .registeredItself
            return client
        }
        return try await ServerUnderTest.inMemory(clients: clients, change)
    }

    private static func client(_ clientID: String, _ server: ServerUnderTest) throws -> FakeClient {
        let redirects = [
            "app": "https://app.example.com/callback", "strange": "https://strange.example/callback",
            "native": nativeURI,
        ]
        let redirectURI = try #require(redirects[clientID])
        return FakeClient(server, clientID: clientID, redirectURI: redirectURI, key: try TestKey.p256(2))
    }

    /// Where a request with a fault goes, from a browser in which somebody is signed in or not.
    private static func answer(
        _ clientID: String,
        isSignedIn: Bool,
        isSilent: Bool,
        _ server: ServerUnderTest
    ) async throws -> (HTTPResponse, FakeClient) {
        let client = try client(clientID, server)
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("scope", "admin")
        if isSilent { attempt.parameters = attempt.parameters.with("prompt", "none") }
        let browser = isSignedIn ? try await server.signedInBrowser() : FakeBrowser(server)
        return (await browser.get(client.directTarget(attempt)), client)
    }

    @Test(
        arguments: [
            ("app", true, false, true), ("app", false, false, false), ("app", false, true, true),
            ("strange", true, false, false), ("strange", false, false, false), ("strange", true, true, false),
            ("strange", false, true, false), ("native", false, true, true), ("native", true, false, false),
        ]
    )
    func `attack 149, error_redirect_before_sign_in: a page with a link comes instead of the redirect`(
        clientID: String,
        isSignedIn: Bool,
        isSilent: Bool,
        isRedirected: Bool
    ) async throws {
        let server = try await Self.server()
        let (answer, client) = try await Self.answer(clientID, isSignedIn: isSignedIn, isSilent: isSilent, server)
        #expect(answer.status == (isRedirected ? 303 : 400))
        #expect((answer.fields["Location"] != nil) == isRedirected)
        let target = try #require(answer.fields["Location"] ?? answer.wayBack)
        #expect(target.hasPrefix(client.redirectURI + "?error=invalid_scope"))
        let callback = try answer.callback()
        #expect(callback["state"] != nil && callback["iss"] == ServerUnderTest.issuer)
        guard !isRedirected else { return }
        #expect(answer.fields["Content-Type"] == "text/html; charset=utf-8")
        #expect(answer.text.contains("Go back to"))
    }

    @Test func `a silent request that needs a user shows a page for a client that registered itself`() async throws {
        let server = try await Self.server()
        for (clientID, isRedirected) in [("app", true), ("strange", false)] {
            let client = try Self.client(clientID, server)
            var attempt = client.attempt()
            attempt.parameters = attempt.parameters.with("prompt", "none")
            let answer = await FakeBrowser(server).get(client.directTarget(attempt))
            #expect((answer.fields["Location"] != nil) == isRedirected)
            #expect(try answer.callback()["error"] == "login_required")
        }
    }

    @Test func `who presses Deny is sent to the app at once, whoever registered it`() async throws {
        let server = try await Self.server()
        for clientID in ["app", "strange"] {
            let client = try Self.client(clientID, server)
            let browser = try await server.signedInBrowser()
            let page = await browser.get(client.directTarget(client.attempt()))
            let answer = try await browser.decide("deny", on: page)
            #expect(answer.status == 303)
            #expect(try answer.callback()["error"] == "access_denied")
        }
    }

    @Test func `with the response mode form_post, the page has a button that posts the error`() async throws {
        let server = try await Self.server()
        let client = try Self.client("strange", server)
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("scope", "admin").with("response_mode", "form_post")
        let answer = await server.get(client.directTarget(attempt))
        #expect(answer.status == 400 && !answer.text.contains("<script"))
        #expect(answer.text.contains("<form method=\"post\" action=\"https://strange.example/callback\">"))
        #expect(answer.text.contains("value=\"invalid_scope\""))
        #expect(answer.fields["Content-Security-Policy"]?.contains("https://strange.example") == true)
    }

    @Test func `with the setting always, every error is a redirect`() async throws {
        let server = try await Self.server { $0.errorRedirects = .always }
        let (answer, _) = try await Self.answer("strange", isSignedIn: false, isSilent: false, server)
        #expect(answer.status == 303)
    }
}
