// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import PKCE
import StrictJSON
import TestSupport
import Testing

@testable import OAuthClient

@Suite("OAuth 2.0 for First-Party Applications section 5.2.2.1.1: the browser takes over")
struct WebContinuationTests {
    private func continuation(_ fixture: SignInFixture) async throws -> WebContinuation {
        try await fixture.firstStep().answer(.redirectToWeb).continuation
    }

    @Test func `the browser takes the first request up where the server has stored it`() async throws {
        let fixture = try SignInFixture()
        let first = try await fixture.firstStep()
        let continuation = try await first.answer(.redirectToWeb).continuation
        let session = try await continuation.signIn(using: ApprovingUser(server: fixture.server))
        #expect(try await fixture.get(session).status == 200)
        #expect(await fixture.server.requests(to: "/par").isEmpty)
        let verifier = try #require(await fixture.server.requests(to: "/token").last).form.text("code_verifier")
        #expect(verifier == first.state.transaction.codeVerifier.text)
    }

    @Test func `the URL can be opened by an app that is stopped meanwhile`() async throws {
        let fixture = try SignInFixture()
        let url = try await continuation(fixture).url()
        #expect(url.hasPrefix("https://auth.example/authorize?client_id=my-app&request_uri=urn"))
        let request = AuthorizationRequest(
            url: url,
            redirectURI: "com.example.app:/callback",
            state: "",
            expiresAt: fixture.clock.now(),
            responseMode: .query
        )
        let session = try await fixture.client.resumeSignIn(fixture.server.approve(request))
        #expect(try await fixture.get(session).status == 200)
    }

    @Test func `without a reference the browser begins anew, with another verifier, state and nonce`() async throws {
        let fixture = try SignInFixture()
        let first = try await fixture.client.startFirstPartySignIn(scopes: ["a"], loginHint: "ada").signIn
        await fixture.answerNext(.error(403, "redirect_to_web"))
        let continuation = try await first.answer(.redirectToWeb).continuation
        _ = try await continuation.signIn(using: ApprovingUser(server: fixture.server))
        let (before, pushed) = (
            try #require(await fixture.server.challengeForms.first),
            try #require(await fixture.server.requests(to: "/par").first).form
        )
        for name in ["scope", "login_hint", "redirect_uri", "dpop_jkt", "response_type", "code_challenge_method"] {
            #expect(pushed.text(name) == before.text(name) && before.text(name) != nil, "\(name)")
        }
        for name in ["state", "code_challenge"] {
            #expect(pushed.text(name) != before.text(name) && pushed.text(name) != nil, "\(name)")
        }
        #expect(Set(pushed.all.map(\.name)) == Set(before.all.map(\.name)))
    }

    @Test func `a user agent that listens on a port begins anew, since the port was not known before`() async throws {
        let fixture = try SignInFixture(redirectURI: "http://127.0.0.1/callback")
        let continuation = try await continuation(fixture)
        #expect(await fixture.server.challengeForms.first?.text("redirect_uri") == nil)
        let session = try await continuation.signIn(using: ListeningUser(server: fixture.server))
        #expect(try await fixture.get(session).status == 200)
        let pushed = try #require(await fixture.server.requests(to: "/par").first).form
        #expect(pushed.text("redirect_uri") == "http://127.0.0.1:4711/callback")
    }

    @Test func `a continuation works once`() async throws {
        let fixture = try SignInFixture()
        let continuation = try await continuation(fixture)
        _ = try await continuation.url()
        #expect(await clientError { _ = try await continuation.url() }?.code == .signInExpired)
        let user = ApprovingUser(server: fixture.server)
        #expect(await clientError { _ = try await continuation.signIn(using: user) }?.code == .signInExpired)
    }

    @Test func `the step is over when the browser has taken over`() async throws {
        let fixture = try SignInFixture()
        let signIn = try await fixture.firstStep()
        _ = try await signIn.answer(.redirectToWeb)
        #expect(await clientError { _ = try await signIn.answer(.rightPassword) }?.code == .signInExpired)
    }

    @Test func `a continuation expires with its reference`() async throws {
        let fixture = try SignInFixture()
        let continuation = try await continuation(fixture)
        fixture.pass(.seconds(590))
        let user = ApprovingUser(server: fixture.server)
        #expect(await clientError { _ = try await continuation.signIn(using: user) }?.code == .unknownState)
    }

    // MARK: Attack 231, downgrade_to_browser

    @Test func `attack 231: only the address of the client's own metadata is opened, whatever the answer has`()
        async throws
    {
        let fixture = try SignInFixture()
        let signIn = try await fixture.firstStep()
        var forged = HTTPResponse.json(
            403,
            [
                "error": "redirect_to_web", "request_uri": "https://evil.example/x?client_id=other",
                "authorization_endpoint": "https://evil.example/authorize", "location": "https://evil.example/",
            ]
        )
        forged.fields["Location"] = "https://evil.example/"
        await fixture.answerNext(forged)
        let url = try await signIn.answer(.rightPassword).continuation.url()
        let uri = try URI(parsing: url)
        #expect(uri.origin == "https://auth.example")
        #expect(uri.path == "/authorize")
        let query = try FormParameters(decoding: uri.query ?? "")
        #expect(query.text("request_uri") == "https://evil.example/x?client_id=other")
        #expect(query.text("client_id") == "my-app")
    }

    @Test func `attack 231: a code of another sign-in, or of another issuer, is rejected`() async throws {
        let fixture = try SignInFixture()
        let honest = try await continuation(fixture)
        let otherState = await clientError {
            _ = try await honest.signIn(using: ForgingUser { "com.example.app:/callback?code=c&state=\($0.state)x" })
        }
        #expect(otherState?.code == .unknownState)
        let again = try await continuation(fixture)
        let otherIssuer = await clientError {
            _ = try await again.signIn(
                using: ForgingUser {
                    "com.example.app:/callback?code=c&state=\($0.state)&iss=https%3A%2F%2Fevil.example"
                }
            )
        }
        #expect(otherIssuer?.code == .callbackOfAnotherIssuer)
        #expect(await fixture.server.requests(to: "/token").isEmpty)
    }

    @Test func `attack 231: a redirect is not followed, and the password is not sent twice`() async throws {
        let fixture = try SignInFixture()
        let signIn = try await fixture.firstStep()
        await fixture.answerNext(
            HTTPResponse(status: 307, fields: ["Location": "https://evil.example/authorize-challenge"])
        )
        #expect(await clientError { _ = try await signIn.answer(.rightPassword) }?.code == .malformedResponse)
        #expect(await clientError { _ = try await signIn.answer(.rightPassword) }?.code == .signInExpired)
        let sent = await fixture.server.requests.filter { $0.form.text("password") != nil }
        #expect(sent.map(\.target) == ["https://auth.example/authorize-challenge"])
    }

    @Test func `attack 231: an endpoint that is not https is not used`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change {
            $0.metadata["authorization_challenge_endpoint"] = "http://evil.example/authorize-challenge"
        }
        #expect(await clientError { _ = try await fixture.firstStep() }?.code == .insecureURL)
        #expect(await fixture.server.requests.allSatisfy { $0.method == "GET" })
    }
}

/// A user agent that listens on a port.
private struct ListeningUser: UserAgent {
    let server: FakeServer

    func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback {
        try await AuthorizationCallback(url: server.approve(makeRequest("http://127.0.0.1:4711/callback")))
    }
}

/// A browser that brings back what an attacker made.
private struct ForgingUser: UserAgent {
    let forge: @Sendable (AuthorizationRequest) -> String

    func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback {
        AuthorizationCallback(url: try await forge(makeRequest(redirectURI)))
    }
}
