// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTesting
import Testing

@Suite struct IncidentTests {
    @Test func `a sign-in is refused once`() async throws {
        let app = try await SignedInApp()
        app.server.refuseNextSignIn()
        let error = await clientError { _ = try await app.signIn() }
        #expect(error?.code == .authorizationRejected && error?.answer?.error == .accessDenied)
        _ = try await app.signIn()
    }

    @Test func `expired access tokens are renewed before the call`() async throws {
        let app = try await SignedInApp()
        let session = try await app.signIn()
        #expect(try await SignedInApp.call(session) == 200)
        let before = try await session.tokenManager.fetch()
        app.server.expireAccessTokens()
        app.recording.removeAll()
        #expect(try await SignedInApp.call(session) == 200)
        #expect(app.log == ["/token 200", "/notes 200"])
        #expect(try await session.tokenManager.fetch().accessToken != before.accessToken)
    }

    @Test func `the API knows an expired token by itself`() async throws {
        let app = try await SignedInApp()
        let clientClock = TestClock()
        let client = try OAuth2Client(
            issuer: app.server.issuer,
            clientID: "my-app",
            redirectURI: "com.example.app:/callback",
            transport: app.recording,
            clock: clientClock,
            monotonicClock: clientClock
        )
        let session = try await client.signIn(scopes: SignedInApp.scopes, using: app.server.userAgent)
        #expect(try await SignedInApp.call(session) == 200)
        app.server.expireAccessTokens()
        app.recording.removeAll()
        // The clock of the client has not moved, so it takes the token for good.
        #expect(try await SignedInApp.call(session) == 200)
        #expect(app.log.first == "/notes 401" && app.log.contains("/token 200") && app.log.last == "/notes 200")
    }

    @Test func `every token expires with the refresh token`() async throws {
        let app = try await SignedInApp()
        let session = try await app.signIn()
        app.server.expireAllTokens()
        #expect(await clientError { _ = try await SignedInApp.call(session) }?.code == .sessionEnded)
    }

    @Test func `a revoked session ends at the next refresh, and not before`() async throws {
        let app = try await SignedInApp()
        let session = try await app.signIn()
        try app.server.revokeSessions()
        #expect(try await SignedInApp.call(session) == 200)
        app.server.expireAccessTokens()
        #expect(await clientError { _ = try await SignedInApp.call(session) }?.code == .sessionEnded)
    }

    @Test func `only the sessions of one person are revoked`() async throws {
        let app = try await SignedInApp()
        let bob = try await app.server.addPerson("Bob")
        let session = try await app.signIn()
        let otherClient = try await app.server.makeClient()
        let other = try await otherClient.signIn(scopes: SignedInApp.scopes, using: bob)
        try app.server.revokeSessions(of: "bob")
        app.server.expireAccessTokens()
        #expect(try await SignedInApp.call(session) == 200)
        #expect(await clientError { _ = try await SignedInApp.call(other) }?.code == .sessionEnded)
        #expect(throws: OAuthTestingError.self) { try app.server.revokeSessions(of: "nobody") }
    }

    @Test func `a server is unavailable as often as it was told to`() async throws {
        let app = try await SignedInApp()
        app.server.answerNext(with: .unavailable(retryAfter: .seconds(70)), times: 2, at: "/par")
        for _ in 0..<2 {
            let error = await clientError { _ = try await app.signIn() }
            #expect(error?.code == .serverUnavailable && error?.status == 503 && error?.retryAfter == .seconds(70))
        }
        _ = try await app.signIn()
    }

    @Test func `a short wait moves the clock, and takes no time`() async throws {
        let app = try await SignedInApp()
        let (start, real) = (app.server.clock.elapsed(), ContinuousClock.now)
        for _ in 0..<8 {
            app.server.answerNext(with: .unavailable(retryAfter: .seconds(9)), at: "/par")
            _ = try await app.signIn()
        }
        #expect(app.server.clock.elapsed() - start == .seconds(72))
        #expect(ContinuousClock.now - real < .seconds(60))
    }

    @Test func `a fault without a path meets any request, and can be taken back`() async throws {
        let app = try await SignedInApp()
        // The client asks once more for the metadata.
        app.server.answerNext(with: .networkFailure, times: 2)
        #expect(await clientError { _ = try await app.signIn() }?.code == .transportFailed)
        app.server.answerNext(with: .networkFailure, times: 100)
        app.server.answerAsEver()
        app.api.answerNext(with: .networkFailure, times: 100)
        app.api.answerAsEver()
        app.api.answerNext(with: .networkFailure, at: "/elsewhere")
        app.api.answerNext(with: .networkFailure, times: 0)
        #expect(try await SignedInApp.call(app.signIn()) == 200)
    }

    @Test func `an answer that is lost has spent the refresh token, which the grace makes good`() async throws {
        let app = try await SignedInApp()
        let session = try await app.signIn()
        app.server.expireAccessTokens()
        // The client sends it once more at once.
        app.server.answerNext(with: .responseLost, at: "/token")
        #expect(try await SignedInApp.call(session) == 200)
        // The same, but that response is lost too, and the client comes back too late.
        app.server.expireAccessTokens()
        app.server.answerNext(with: .responseLost, times: 2, at: "/token")
        #expect(await clientError { _ = try await SignedInApp.call(session) }?.code == .transportFailed)
        app.server.clock.advance(by: .seconds(31))
        #expect(await clientError { try await session.tokenManager.refresh() }?.code == .sessionEnded)
        #expect(app.server.reports.contains { $0.contains("used twice") })
    }

    @Test(.timeLimit(.minutes(1))) func `a request without an answer ends with its task`() async throws {
        let app = try await SignedInApp()
        let session = try await app.signIn()
        app.recording.removeAll()
        app.api.answerNext(with: .noResponse)
        let call = Task { await clientError { _ = try await SignedInApp.call(session) } }
        while app.recording.exchanges.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        #expect(app.recording.exchanges.first?.status == nil)
        call.cancel()
        #expect(await call.value?.code == .cancelled)
        #expect(try await SignedInApp.call(session) == 200)
    }

    @Test(arguments: ["/par", "/token"])
    func `a new nonce is demanded, given out and taken`(path: String) async throws {
        let app = try await SignedInApp()
        _ = try await app.signIn()
        app.recording.removeAll()
        app.server.answerNext(with: .newNonceDemanded, at: path)
        let session = try await app.signIn()
        let statuses = app.log.filter { $0.hasPrefix(path) }
        #expect(statuses == ["\(path) 400", "\(path) \(path == "/par" ? 201 : 200)"])
        #expect(try await SignedInApp.call(session) == 200)
    }

    @Test func `who is asked for a new nonce over and over gives up`() async throws {
        let app = try await SignedInApp()
        app.server.answerNext(with: .newNonceDemanded, times: 5, at: "/par")
        let error = await clientError { _ = try await app.signIn() }
        #expect(error?.code == .serverRejected && error?.answer?.error == .useDPoPNonce)
    }

    @Test func `an API demands a new nonce too`() async throws {
        let app = try await SignedInApp()
        let session = try await app.signIn()
        #expect(try await SignedInApp.call(session) == 200)
        app.recording.removeAll()
        app.api.answerNext(with: .newNonceDemanded)
        #expect(try await SignedInApp.call(session) == 200)
        #expect(app.log == ["/notes 401", "/notes 200"])
    }

    @Test func `a slow answer comes too late for a code`() async throws {
        let app = try await SignedInApp()
        let start = app.server.clock.now()
        app.server.answerNext(with: .slow(by: .seconds(61)), at: "/token")
        let error = await clientError { _ = try await app.signIn() }
        #expect(error?.answer?.error == .invalidGrant)
        #expect(app.server.clock.now() - start == .seconds(61))
    }

    @Test func `something else answers, and the server is not asked`() async throws {
        let app = try await SignedInApp()
        let session = try await app.signIn()
        let accepted = app.api.acceptedRequests
        app.api.answerNext(with: .answer(HTTPResponse(status: 418)), at: "/notes")
        #expect(try await SignedInApp.call(session) == 418)
        #expect(app.api.acceptedRequests == accepted)
        app.server.answerNext(with: .answer(HTTPResponse(status: 200, body: Array("<html>".utf8))), at: "/token")
        #expect(await clientError { _ = try await app.signIn() }?.code == .malformedResponse)
    }

    @Test func `a new signing key makes the tokens of the old one worthless, and sessions go on`() async throws {
        let app = try await SignedInApp()
        let session = try await app.signIn()
        #expect(try await SignedInApp.call(session) == 200)
        app.recording.removeAll()
        try app.server.rotateSigningKey()
        #expect(try await SignedInApp.call(session) == 200)
        #expect(app.log == ["/notes 401", "/token 200", "/notes 200"])
        try app.server.rotateSigningKey()
        #expect(try await SignedInApp.call(app.signIn()) == 200)
    }

    @Test func `hosts that were not set up are not there, and each has one place`() async throws {
        let app = try await SignedInApp()
        let session = try await app.signIn()
        let error = await clientError { _ = try await SignedInApp.call(session, "https://elsewhere.example/") }
        #expect(error?.code == .transportFailed)
        for address in ["https://api.example", "https://auth.example", "https://b.example/v1", "not a URL"] {
            #expect(throws: OAuthTestingError.self) { try FakeResourceServer(for: app.server, address: address) }
        }
        await #expect(throws: OAuthTestingError.self) {
            try await FakeAuthorizationServer(issuer: "http://auth.example")
        }
        await #expect(throws: OAuthTestingError.self) { try await app.server.addPerson("ada") }
        await #expect(throws: OAuthTestingError.self) {
            try await app.server.addClient("other", redirectURIs: ["javascript:alert(1)"])
        }
    }

    @Test func `what the operator decides is taken over`() async throws {
        let server = try await FakeAuthorizationServer(issuer: "https://auth.example/tenant", scopes: ["a"]) {
            $0.requirePushedAuthorizationRequests = true
            $0.lifetimes.accessToken = .seconds(20)
        }
        let session = try await server.makeClient().signIn(scopes: ["a"], using: server.userAgent)
        let tokens = try await session.tokenManager.fetch()
        #expect(tokens.expiresAt == server.clock.now() + .seconds(20))
        server.refuseNextSignIn()
        let again = await clientError {
            _ = try await server.makeClient().signIn(scopes: ["a"], using: server.userAgent)
        }
        #expect(again?.code == .authorizationRejected)
    }
}
