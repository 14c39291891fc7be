// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@testable import OAuthClient

/// What a client does when a server is busy, gone, or rejects what it issued itself.
@Suite("Pauses, repetitions, and callers that give up", .timeLimit(.minutes(2)))
struct RetryTests {
    // MARK: Refresh

    @Test func `Retry-After of the token endpoint counts for all callers and all processes`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        fixture.pass(.seconds(400))
        let busy = HTTPResponse(status: 429, fields: ["Retry-After": "120"])
        await fixture.server.change { $0.instead["/token"] = [busy] }
        let first = await clientError { _ = try await session.tokenManager.fetch() }
        #expect(first?.retryAfter == .seconds(120))
        let sent = await fixture.server.requests(to: "/token").count
        fixture.pass(.seconds(20))
        for _ in 0..<3 {
            let error = await clientError { _ = try await fixture.get(session) }
            #expect(error?.code == .serverUnavailable)
            #expect(error?.retryAfter == .seconds(100))
        }
        // A user who asks for a refresh does not override what the server asked for.
        #expect(await clientError { try await session.tokenManager.refresh() }?.code == .serverUnavailable)
        let other = try #require(try await fixture.client.restoreSession())
        let elsewhere = await clientError { _ = try await other.tokenManager.fetch() }
        #expect(elsewhere?.retryAfter == .seconds(100))
        #expect(await fixture.server.requests(to: "/token").count == sent)
        fixture.pass(.seconds(101))
        #expect(try await fixture.get(session).status == 200)
        #expect(try await fixture.get(other).status == 200)
    }

    @Test func `Retry-After counts up to an hour`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        fixture.pass(.seconds(400))
        let busy = HTTPResponse(status: 503, fields: ["Retry-After": "86400"])
        await fixture.server.change { $0.instead["/token"] = [busy] }
        _ = await clientError { _ = try await session.tokenManager.fetch() }
        fixture.pass(.seconds(3601))
        _ = try await session.tokenManager.fetch()
    }

    @Test func `without Retry-After the pause grows up to a minute, and a success ends it`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        fixture.pass(.seconds(400))
        await fixture.server.change { $0.unreachable = ["/token"] }
        var longest = Duration.zero
        for _ in 0..<10 {
            #expect(await clientError { _ = try await session.tokenManager.fetch() }?.code == .transportFailed)
            let sent = await fixture.server.requests(to: "/token").count
            let error = await clientError { _ = try await session.tokenManager.fetch() }
            let pause = try #require(error?.retryAfter)
            #expect(pause <= .seconds(60))
            longest = max(longest, pause)
            #expect(await fixture.server.requests(to: "/token").count == sent)
            fixture.pass(pause)
        }
        #expect(longest > .seconds(4))
        await fixture.server.change { $0.unreachable = [] }
        _ = try await session.tokenManager.fetch()
        try await session.tokenManager.refresh()
    }

    @Test func `after failures all processes wait together, unless a user asks for a refresh`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        fixture.pass(.seconds(400))
        await fixture.server.change { $0.unreachable = ["/token"] }
        var pause = Duration.zero
        while pause < .seconds(8) {
            fixture.pass(pause)
            _ = await clientError { _ = try await session.tokenManager.fetch() }
            let error = await clientError { _ = try await session.tokenManager.fetch() }
            pause = try #require(error?.retryAfter)
        }
        await fixture.server.change { $0.unreachable = [] }
        let sent = await fixture.server.requests(to: "/token").count
        let other = try #require(try await fixture.client.restoreSession())
        let events = other.events()
        let elsewhere = await clientError { _ = try await other.tokenManager.fetch() }
        #expect(elsewhere?.code == .serverUnavailable)
        #expect(try #require(elsewhere?.retryAfter) <= pause)
        #expect(try #require(elsewhere?.retryAfter) > pause - .seconds(1))
        #expect(await fixture.server.requests(to: "/token").count == sent)
        try await other.refresh()
        #expect(await fixture.server.requests(to: "/token").count == sent + 1)
        #expect(await first(1, of: events) == [.refreshed], "a refresh that was not sent has not failed")
        // The success ends the wait of a third process too.
        fixture.pass(.seconds(400))
        _ = try await #require(try await fixture.client.restoreSession()).tokenManager.fetch()
    }

    @Test func `a wait that a changed clock makes endless is not kept`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        fixture.pass(.seconds(400))
        await fixture.server.change { $0.unreachable = ["/token"] }
        var pause = Duration.zero
        while pause < .seconds(2) {
            fixture.pass(pause)
            _ = await clientError { _ = try await session.tokenManager.fetch() }
            pause = try #require(await clientError { _ = try await session.tokenManager.fetch() }?.retryAfter)
        }
        await fixture.server.change { $0.unreachable = [] }
        fixture.clock.advance(by: .seconds(-3600))
        let other = try #require(try await fixture.client.restoreSession())
        _ = try await other.tokenManager.refresh(replacing: other.tokenManager.signedInTokens().accessToken)
    }

    @Test func `a client that the server does not know now keeps its session`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        fixture.pass(.seconds(400))
        await fixture.server.change { $0.instead["/token"] = [.error(401, "invalid_client")] }
        #expect(await clientError { _ = try await session.tokenManager.fetch() }?.answer?.error == .invalidClient)
        let sent = await fixture.server.requests(to: "/token").count
        let paused = await clientError { _ = try await session.tokenManager.fetch() }
        #expect(paused?.code == .serverUnavailable)
        #expect(paused?.answer?.error == .invalidClient)
        #expect(await fixture.server.requests(to: "/token").count == sent)
        #expect(try await fixture.client.restoreSession() != nil)
    }

    // MARK: An API that never accepts the token

    @Test func `an API that rejects new tokens causes one refresh, then none for a while`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let events = session.events()
        await fixture.server.change { $0.rejectsAllTokens = true }
        for _ in 0..<5 { #expect(try await fixture.get(session).status == 401) }
        #expect(await fixture.server.refreshes == 1)
        #expect(await first(2, of: events) == [.refreshed, .tokenRejected])
        fixture.pass(.seconds(61))
        for _ in 0..<3 { #expect(try await fixture.get(session).status == 401) }
        #expect(await fixture.server.refreshes == 2)
        // The second pause is twice as long.
        fixture.pass(.seconds(61))
        #expect(try await fixture.get(session).status == 401)
        #expect(await fixture.server.refreshes == 2)
        // Another API is not affected, and one acceptance ends the pause.
        await fixture.server.change { $0.rejectsAllTokens = false }
        #expect(try await fixture.get(session).status == 200)
        await fixture.server.forgetAccessTokens()
        #expect(try await fixture.get(session).status == 200)
        #expect(await fixture.server.refreshes == 3)
    }

    @Test func `twenty calls to such an API together cause one refresh`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.rejectsAllTokens = true }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await fixture.get(session).status } }
            for try await status in group { #expect(status == 401) }
        }
        #expect(await fixture.server.refreshes == 1)
    }

    private func first(_ count: Int, of events: AsyncStream<SessionEvent>) async -> [SessionEvent] {
        var seen: [SessionEvent] = []
        for await event in events.prefix(count) { seen.append(event) }
        return seen
    }

    // MARK: A sign-in

    @Test(arguments: [HTTPResponse(status: 503), HTTPResponse(status: 429, fields: ["Retry-After": "5"])])
    func `a server that is busy in the middle of a sign-in is asked again with the same code`(
        _ busy: HTTPResponse
    ) async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.instead["/token"] = [busy, busy] }
        let session = try await fixture.session()
        #expect(try await fixture.get(session).status == 200)
        #expect(
            fixture.sleeper.sleeps == (busy.status == 429 ? [.seconds(5), .seconds(5)] : [.seconds(1), .seconds(2)])
        )
        #expect(await fixture.server.violations == [])
    }

    @Test func `a sign-in gives up on a server that stays busy, and on one that wants to be left alone`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.instead["/token"] = Array(repeating: HTTPResponse(status: 503), count: 9) }
        #expect(await clientError { _ = try await fixture.session() }?.code == .serverUnavailable)
        #expect(await fixture.server.requests(to: "/token").count == 4)
        let other = try SignInFixture()
        await other.server.change {
            $0.instead["/token"] = [HTTPResponse(status: 503, fields: ["Retry-After": "60"])]
        }
        #expect(await clientError { _ = try await other.session() }?.retryAfter == .seconds(60))
        #expect(await other.server.requests(to: "/token").count == 1)
    }

    @Test func `a code whose response was lost is not sent again`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.losesResponses = ["/token"] }
        #expect(await clientError { _ = try await fixture.session() }?.code == .transportFailed)
        #expect(await fixture.server.requests(to: "/token").count == 1)
        let unsent = try SignInFixture()
        await unsent.server.change { $0.unreachable = ["/token"] }
        #expect(await clientError { _ = try await unsent.session() }?.code == .transportFailed)
        #expect(await unsent.server.requests(to: "/token").count == 4)
    }

    // MARK: Callers that give up

    @Test func `a sign-in whose caller gives up after the code was sent is finished, and found at the next start`()
        async throws
    {
        let fixture = try SignInFixture()
        let gate = Gate()
        await fixture.server.change { $0.beforeToken = { await gate.pass() } }
        let request = try await fixture.client.initiateAuthorization(scopes: ["api:read"])
        let callback = try await fixture.server.approve(request)
        let signIn = Task { try await fixture.client.resumeSignIn(callback) }
        try await gate.arrival()
        signIn.cancel()
        // The caller is let go although the server has not answered.
        #expect(await clientError { _ = try await signIn.value }?.code == .cancelled)
        await gate.open()
        while try await fixture.client.restoreSession() == nil { try await Task.sleep(for: .milliseconds(1)) }
        let session = try #require(try await fixture.client.restoreSession())
        #expect(try await fixture.get(session).status == 200)
    }

    @Test func `tokens of an exchange whose caller gave up are revoked`() async throws {
        let fixture = try SignInFixture()
        let gate = Gate()
        await fixture.server.change { $0.beforeToken = { await gate.pass() } }
        let request = try await fixture.client.initiateAuthorization(scopes: ["api:read"])
        let response = try await fixture.client.parseAuthorizationResponse(fixture.server.approve(request))
        let exchange = Task { try await fixture.client.exchangeAuthorizationCode(response) }
        try await gate.arrival()
        exchange.cancel()
        #expect(await clientError { _ = try await exchange.value }?.code == .cancelled)
        await gate.open()
        while await fixture.server.revoked.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        #expect(await Set(fixture.server.revoked) == fixture.server.goodRefreshTokens)
    }

    @Test func `a caller that gives up waiting for a refresh is let go at once`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let gate = Gate()
        await fixture.server.change { $0.beforeRefresh = { await gate.pass() } }
        let refresh = Task { try await session.tokenManager.refresh() }
        try await gate.arrival()
        refresh.cancel()
        #expect(await clientError { _ = try await refresh.value }?.code == .cancelled)
        await gate.open()
        _ = try await session.tokenManager.refresh(replacing: nil)
        #expect(await fixture.server.violations == [])
    }

    @Test func `who is about to end waits for the refresh that is running, and for nothing else`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await session.tokenManager.waitForRefresh()
        let gate = Gate()
        await fixture.server.change { $0.beforeRefresh = { await gate.pass() } }
        let refresh = Task { try await session.tokenManager.refresh() }
        try await gate.arrival()
        let impatient = Task { await session.tokenManager.waitForRefresh() }
        impatient.cancel()
        await impatient.value
        let waiting = Task {
            await session.tokenManager.waitForRefresh()
            return await fixture.tokenStore.tokens(of: fixture.client.account)
        }
        await gate.open()
        #expect(try await refresh.value == waiting.value)
    }

    // MARK: Tokens that nobody gets

    @Test(arguments: [JSONObject(), ["refresh_token": .null]])
    func `tokens that a sign-in does not use are revoked, and the next one fails before the browser`(
        _ members: JSONObject
    ) async throws {
        let fixture = try SignInFixture()
        await fixture.server.change {
            $0.tokenType = "Bearer"
            $0.tokenMembers = members
        }
        #expect(await clientError { _ = try await fixture.session() }?.code == .tokenTypeRejected)
        let revoked = try #require(await fixture.server.revoked.first)
        #expect(revoked.hasPrefix(members.members.isEmpty ? "refresh" : "access"))
        let pushed = await fixture.server.requests(to: "/par").count
        #expect(await clientError { _ = try await fixture.session() }?.code == .tokenTypeRejected)
        #expect(await fixture.server.requests(to: "/par").count == pushed)
        // An operator who repairs the server does not wait for more than an hour.
        fixture.pass(.seconds(3600))
        await fixture.server.change { $0.tokenType = "DPoP" }
        _ = try await fixture.session()
    }

    @Test func `tokens in a response that cannot be read are revoked`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.tokenMembers = ["scope": .array([])] }
        #expect(await clientError { _ = try await fixture.session() }?.code == .malformedResponse)
        #expect(await Set(fixture.server.revoked) == fixture.server.goodRefreshTokens)
    }
}
