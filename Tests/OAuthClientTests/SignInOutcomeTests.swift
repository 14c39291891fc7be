// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import Synchronization
import TestSupport
import Testing

@testable import OAuthClient

@Suite("What a user agent is told about the end of a sign-in")
struct SignInOutcomeTests {
    /// A user who consents, and a server that may answer for another one.
    private final class Recorder: UserAgent {
        let server: FakeServer
        let issuer: String
        let outcomes = Mutex<[SignInOutcome]>([])

        init(_ server: FakeServer, issuer: String = FakeServer.issuer) {
            (self.server, self.issuer) = (server, issuer)
        }

        func callback(_ url: String) -> AuthorizationCallback {
            AuthorizationCallback(url: url) { outcome in self.outcomes.withLock { $0.append(outcome) } }
        }

        func authorize(
            redirectURI: String,
            _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
        ) async throws -> AuthorizationCallback {
            callback(try await server.approve(makeRequest(redirectURI), issuer: issuer))
        }
    }

    @Test func `signed in means that the tokens are stored`() async throws {
        let fixture = try SignInFixture()
        let agent = Recorder(fixture.server)
        _ = try await fixture.client.signIn(scopes: [], using: agent)
        #expect(agent.outcomes.withLock { $0 } == [.signedIn])
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account) != nil)
    }

    @Test func `an answer of another server, which has a code too, is not a sign-in`() async throws {
        let fixture = try SignInFixture()
        let agent = Recorder(fixture.server, issuer: "https://evil.example")
        let error = await clientError { _ = try await fixture.client.signIn(scopes: [], using: agent) }
        #expect(error?.code == .callbackOfAnotherIssuer)
        #expect(agent.outcomes.withLock { $0 } == [.notSignedIn])
    }

    @Test func `nor is a code that the server does not take`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.instead["/token"] = [.error(400, "invalid_grant")] }
        let agent = Recorder(fixture.server)
        _ = await clientError { _ = try await fixture.client.signIn(scopes: [], using: agent) }
        #expect(agent.outcomes.withLock { $0 } == [.notSignedIn])
    }

    @Test func `an app that makes each step itself need not say how it ended`() async throws {
        let fixture = try SignInFixture()
        let agent = Recorder(fixture.server)
        let callback = try await fixture.client.callback(
            scopes: [],
            using: agent,
            options: AuthorizationOptions()
        )
        let response = try await fixture.client.parseAuthorizationResponse(callback)
        #expect(agent.outcomes.withLock { $0.isEmpty })
        _ = try await fixture.client.exchangeAuthorizationCode(response)
        #expect(agent.outcomes.withLock { $0 } == [.signedIn])
        // The response was used.
        _ = await clientError { _ = try await fixture.client.parseAuthorizationResponse(callback) }
        #expect(agent.outcomes.withLock { $0 } == [.signedIn, .notSignedIn])
    }

    @Test func `a link to another part of the app ends nothing`() async throws {
        let fixture = try SignInFixture()
        let agent = Recorder(fixture.server)
        let error = await clientError {
            _ = try await fixture.client.resumeSignIn(agent.callback("com.example.app:/other"))
        }
        #expect(error?.code == .unrelatedCallback)
        #expect(agent.outcomes.withLock { $0.isEmpty })
    }
}
