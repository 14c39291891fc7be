// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import ServerStorage
import TestSupport
import Testing

@Suite("OpenID Connect: signing out")
struct EndSessionEndpointTests {
    private static let state = "st&=+ \u{1F511}"
    private static let strangeURI = "https://strange.example/bye"

    private func target(_ parameters: FormParameters) -> String {
        "/logout?" + parameters.encoded()
    }

    /// Whether somebody is signed in in a browser: the consent page would be next.
    private func isSignedIn(_ browser: FakeBrowser, _ openID: OpenIDServer) async throws -> Bool {
        let client = try openID.client()
        let page = await browser.get(client.directTarget(openID.attempt(client)))
        return page.text.contains("Signed in as")
    }

    @Test func `RP-Initiated Logout section 2, the id_token of who is signed in ends the session at once`() async throws
    {
        let openID = try await OpenIDServer()
        let hint = try await openID.signIn(try openID.client()).string("id_token")
        // It has expired long ago.
        openID.server.clock.advance(by: .seconds(7200))
        let browser = try await openID.server.signedInBrowser()
        let answer = await browser.get(
            target([
                "id_token_hint": hint, "client_id": "oidc", "post_logout_redirect_uri": OpenIDServer.logoutURI,
                "state": Self.state,
            ])
        )
        #expect(answer.status == 303)
        #expect(answer.fields["Location"]?.hasPrefix(OpenIDServer.logoutURI + "?") == true)
        #expect(try answer.callback().all == [.init(name: "state", value: Self.state)])
        #expect(try await !isSignedIn(browser, openID))
    }

    @Test func `without a place to go, a page says that it is done; what apps were allowed stays`() async throws {
        let openID = try await OpenIDServer()
        let client = try openID.client()
        let tokens = try await openID.signIn(client)
        let browser = try await openID.server.signedInBrowser()
        let page = await browser.get(target(["id_token_hint": try tokens.string("id_token")]))
        #expect(page.status == 200)
        #expect(page.text.contains("You are signed out"))
        #expect(try await !isSignedIn(browser, openID))
        #expect(try await client.refresh(try tokens.string("refresh_token")).status == 200)
    }

    @Test func `a hint without a session leads back to the client`() async throws {
        let openID = try await OpenIDServer()
        let hint = try await openID.signIn(try openID.client()).string("id_token")
        let answer = await FakeBrowser(openID.server).get(
            target(["id_token_hint": hint, "post_logout_redirect_uri": OpenIDServer.logoutURI])
        )
        #expect(answer.fields["Location"] == OpenIDServer.logoutURI)
    }

    /// Registers a client that no operator knows; returns an ID token of it.
    private func strangeHint(_ openID: OpenIDServer) async throws -> String {
        let redirectURI = "https://strange.example/callback"
        var strange = try ServerUnderTest.client("strange", redirectURIs: [redirectURI], scope: OpenIDServer.scope)
        strange.origin = .registeredItself
        strange.postLogoutRedirectURIs = [Self.strangeURI]
        _ = try await openID.server.storage.add(strange)
        let key = try TestKey.p256(2)
        let client = FakeClient(openID.server, clientID: "strange", redirectURI: redirectURI, key: key)
        return try await openID.signIn(client).string("id_token")
    }

    @Test(arguments: ["nobody", "the same person", "a person who is asked"])
    func `RFC 9700 section 4.11.2, to a client that registered itself leads a link, and no redirect`(
        _ who: String
    ) async throws {
        let openID = try await OpenIDServer()
        let hint = try await strangeHint(openID)
        let isAsked = who == "a person who is asked"
        let browser = who != "nobody" ? try await openID.server.signedInBrowser() : FakeBrowser(openID.server)
        let parameters: FormParameters = ["post_logout_redirect_uri": Self.strangeURI, "state": Self.state]
        var answer = await browser.get(
            target(isAsked ? parameters.adding("client_id", "strange") : parameters.adding("id_token_hint", hint))
        )
        if isAsked { answer = try await browser.decide("signout", on: answer) }
        #expect(answer.status == 200 && answer.fields["Location"] == nil)
        #expect(answer.text.contains("You are signed out"))
        #expect(answer.text.contains("Go back to <strong><bdi>strange.example</bdi></strong>"))
        #expect(answer.wayBack?.hasPrefix(Self.strangeURI + "?") == true)
        #expect(try answer.callback().all == [.init(name: "state", value: Self.state)])
        #expect(try await !isSignedIn(browser, openID))
    }

    @Test func `a client with a metadata document leads to its own host, whatever was stored before`() async throws {
        let openID = try await OpenIDServer()
        let (own, foreign) = ("https://NOTES.example/bye", "https://evil.example/bye")
        var client = try ServerUnderTest.client("https://notes.example/client.json", redirectURIs: [])
        client.origin = .document
        client.postLogoutRedirectURIs = [own, foreign]
        _ = try await openID.server.storage.add(client)
        let browser = try await openID.server.signedInBrowser()
        for (uri, isHome) in [(own, true), (foreign, false)] {
            let answer = await browser.get(
                target(["client_id": client.clientID, "post_logout_redirect_uri": uri])
            )
            if isHome {
                #expect(answer.status == 200 && answer.text.contains("signout"))
            } else {
                expect(answer, isErrorPageWith: "invalid_request")
            }
        }
        #expect(try await isSignedIn(browser, openID))
    }

    @Test func `with the setting always, every client gets its redirect`() async throws {
        let openID = try await OpenIDServer { $0.errorRedirects = .always }
        let hint = try await strangeHint(openID)
        let answer = await FakeBrowser(openID.server).get(
            target(["id_token_hint": hint, "post_logout_redirect_uri": Self.strangeURI])
        )
        #expect(answer.status == 303 && answer.fields["Location"] == Self.strangeURI)
    }

    @Test(arguments: [true, false])
    func `without a hint the person is asked, and only then sent on`(_ agrees: Bool) async throws {
        let openID = try await OpenIDServer()
        let browser = try await openID.server.signedInBrowser()
        let page = await browser.get(
            target([
                "client_id": "oidc", "post_logout_redirect_uri": OpenIDServer.logoutURI, "state": Self.state,
            ])
        )
        #expect(page.status == 200)
        #expect(page.text.contains("Sign out of") && page.text.contains("ada"))
        let policy = page.fields["Content-Security-Policy"]
        #expect(policy?.contains("form-action 'self' https://oidc.example.com;") == true)
        #expect(try await isSignedIn(browser, openID))
        let answer = try await browser.decide(agrees ? "signout" : "stay", on: page)
        #expect(try await isSignedIn(browser, openID) == !agrees)
        if agrees {
            #expect(try answer.callback()["state"] == Self.state)
        } else {
            #expect(answer.status == 200 && answer.text.contains("You are still signed in"))
        }
    }

    @Test func `the id_token of another person asks too`() async throws {
        let openID = try await OpenIDServer()
        let hint = try await openID.signIn(try openID.client()).string("id_token")
        let browser = try await openID.server.signedInBrowser(as: "bob")
        let page = await browser.get(
            target(["id_token_hint": hint, "post_logout_redirect_uri": OpenIDServer.logoutURI])
        )
        #expect(page.status == 200 && page.text.contains("bob"))
        #expect(try await isSignedIn(browser, openID))
    }

    @Test func `nobody is signed in and there is no hint: a page says so and leads nowhere`() async throws {
        let openID = try await OpenIDServer()
        let answer = await FakeBrowser(openID.server).get(
            target(["client_id": "oidc", "post_logout_redirect_uri": OpenIDServer.logoutURI])
        )
        #expect(answer.status == 200 && answer.fields["Location"] == nil)
        #expect(answer.text.contains("You are signed out"))
    }

    @Test(arguments: [
        "https://evil.example/bye", "https://oidc.example.com/bye/", "https://oidc.example.com/bye?x=1",
        "https://oidc.example.com/callback", "https://oidc.example.com/BYE", "https://oidc.example.com/bye#x",
        "http://oidc.example.com/bye", "http://127.0.0.1:50123/other", "http://localhost:50123/bye",
        "javascript:alert(1)",
        // RFC 8252 section 7.3 is about authorization requests: here the port is that of the registered address.
        "http://127.0.0.1:50124/bye", "http://127.0.0.1/bye",
    ])
    func `a post_logout_redirect_uri that is not registered shows an error and ends no session`(
        _ uri: String
    ) async throws {
        let openID = try await OpenIDServer()
        let hint = try await openID.signIn(try openID.client()).string("id_token")
        let browser = try await openID.server.signedInBrowser()
        for parameters: FormParameters in [["id_token_hint": hint], ["client_id": "oidc"], [:]] {
            let answer = await browser.get(target(parameters.adding("post_logout_redirect_uri", uri)))
            expect(answer, isErrorPageWith: "invalid_request")
            #expect(try await isSignedIn(browser, openID))
        }
    }

    @Test func `a loopback address has the registered port`() async throws {
        let openID = try await OpenIDServer()
        let hint = try await openID.signIn(try openID.client()).string("id_token")
        let answer = await (try await openID.server.signedInBrowser()).get(
            target(["id_token_hint": hint, "post_logout_redirect_uri": "http://127.0.0.1:50123/bye"])
        )
        #expect(answer.fields["Location"] == "http://127.0.0.1:50123/bye")
    }

    @Test(arguments: ["access token", "another server", "another client", "altered", "alg none", "nonsense"])
    func `an id_token_hint that is not ours, or of another client, shows an error and ends no session`(
        _ kind: String
    ) async throws {
        let openID = try await OpenIDServer()
        let hint = try await AuthenticationRequestTests.wrongHint(kind, openID)
        let browser = try await openID.server.signedInBrowser()
        let answer = await browser.get(
            target([
                "id_token_hint": hint, "client_id": "oidc", "post_logout_redirect_uri": OpenIDServer.logoutURI,
            ])
        )
        expect(answer, isErrorPageWith: "invalid_request")
        #expect(try await isSignedIn(browser, openID))
    }

    @Test func `an access token is no hint, also where the API is a client itself`() async throws {
        let api = try ServerUnderTest.client(ServerUnderTest.audience, redirectURIs: [OpenIDServer.logoutURI])
        let openID = try await OpenIDServer()
        _ = try await openID.server.storage.add(api)
        let tokens = try await openID.signIn(try openID.client())
        let browser = try await openID.server.signedInBrowser()
        let answer = await browser.get(target(["id_token_hint": try tokens.string("access_token")]))
        expect(answer, isErrorPageWith: "invalid_request")
        #expect(try await isSignedIn(browser, openID))
    }

    @Test func `a client that does not exist, a repeated parameter and a long state show an error`() async throws {
        let openID = try await OpenIDServer()
        expect(await openID.server.get(target(["client_id": "nobody"])), isErrorPageWith: "invalid_client")
        expect(await openID.server.get("/logout?state=a&state=a"), isErrorPageWith: "invalid_request")
        let long = String(repeating: "s", count: 2049)
        expect(await openID.server.get(target(["state": long])), isErrorPageWith: "invalid_request")
    }

    @Test func `RP-Initiated Logout section 2, what is posted is taken up again with the cookie`() async throws {
        let openID = try await OpenIDServer()
        let hint = try await openID.signIn(try openID.client()).string("id_token")
        let browser = try await openID.server.signedInBrowser()
        // From another site the browser sends no cookie.
        let first = await openID.server.post(
            "/logout",
            ["id_token_hint": hint, "post_logout_redirect_uri": OpenIDServer.logoutURI],
            fields: ["Origin": "https://oidc.example.com"]
        )
        let second = try await browser.follow(first)
        #expect(second.fields["Location"] == OpenIDServer.logoutURI)
        #expect(try await !isSignedIn(browser, openID))
        expect(
            await openID.server.send(HTTPRequest(method: "POST", target: "/logout")),
            isErrorPageWith: "invalid_request",
            status: 415
        )
    }

    @Test(arguments: ["no token", "another browser", "another origin", "of a request", "other place"])
    func `the form of the page cannot be forged`(_ kind: String) async throws {
        let openID = try await OpenIDServer()
        let browser = try await openID.server.signedInBrowser()
        let page = await browser.get(target(["client_id": "oidc"]))
        let fields = try FakeBrowser.form(of: page).hidden.adding("decision", "signout")
        let answer: HTTPResponse
        switch kind {
        case "no token": answer = await browser.send(.form("/logout/confirm", fields.with("csrf_token", nil)))
        case "another browser":
            answer = await (try await openID.server.signedInBrowser(as: "bob")).send(.form("/logout/confirm", fields))
        case "another origin":
            answer = await browser.send(.form("/logout/confirm", fields, fields: ["Origin": "https://evil.example"]))
        case "of a request":
            let client = try openID.client()
            let consent = await browser.get(client.directTarget(openID.attempt(client)))
            let hidden = try FakeBrowser.form(of: consent).hidden
            answer = await browser.send(.form("/logout/confirm", hidden.adding("decision", "signout")))
        default:
            let moved = fields.adding("post_logout_redirect_uri", "https://evil.example/bye")
            answer = await browser.send(.form("/logout/confirm", moved))
        }
        let isMoved = kind == "other place"
        expect(answer, isErrorPageWith: isMoved ? "invalid_request" : "access_denied", status: isMoved ? 400 : 403)
        #expect(try await isSignedIn(browser, openID))
    }

    @Test func `the token of the sign-out form answers no authorization request`() async throws {
        let openID = try await OpenIDServer()
        let browser = try await openID.server.signedInBrowser()
        let fields = try FakeBrowser.form(of: await browser.get(target([:]))).hidden
        let answer = await browser.send(.form("/consent", fields.adding("decision", "allow")))
        expect(answer, isErrorPageWith: "invalid_request_uri")
    }
}
