// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import SigningKeys
import Testing

@Suite("Events of a session")
struct SessionEventTests {
    /// Waits for the first events of a stream.
    private func first(_ count: Int, of events: AsyncStream<SessionEvent>) async -> [SessionEvent] {
        var seen: [SessionEvent] = []
        for await event in events.prefix(count) { seen.append(event) }
        return seen
    }

    @Test(.timeLimit(.minutes(1))) func `a refresh, a failure and the end are told to everyone who listens`()
        async throws
    {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let (one, other) = (session.events(), session.tokenManager.events())
        try await session.tokenManager.refresh()
        await fixture.server.change { $0.instead["/token"] = [HTTPResponse(status: 503)] }
        _ = await clientError { try await session.tokenManager.refresh() }
        await session.signOut()
        #expect(await first(3, of: one) == [.refreshed, .refreshFailed, .signedOut])
        #expect(await first(3, of: other) == [.refreshed, .refreshFailed, .signedOut])
    }

    @Test(.timeLimit(.minutes(1))) func `what another process did is told`() async throws {
        let fixture = try SignInFixture()
        let first = try await fixture.session()
        let other = try SignInFixture(
            tokenStore: fixture.tokenStore,
            keyStore: fixture.keyStore,
            server: fixture.server
        )
        let second = try #require(try await other.client.restoreSession())
        let events = second.events()
        try await first.tokenManager.refresh()
        try await second.tokenManager.refresh()
        await first.signOut()
        _ = await clientError { try await second.tokenManager.refresh() }
        #expect(await self.first(2, of: events) == [.adopted, .signedOut])
    }

    @Test(.timeLimit(.minutes(1))) func `the end by the server is told`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let events = session.events()
        await fixture.server.change { $0.instead["/token"] = [.error(400, "invalid_grant")] }
        _ = await clientError { try await session.tokenManager.refresh() }
        #expect(await first(1, of: events) == [.expired])
    }

    @Test(.timeLimit(.minutes(1))) func `trap 54: tokens that are bound no more are told`() async throws {
        let fixture = try SignInFixture { $0.tokenBoundConfiguration = .acceptingBearerTokens }
        let session = try await fixture.session()
        let events = session.events()
        await fixture.server.change { $0.tokenType = "Bearer" }
        try await session.tokenManager.refresh()
        #expect(await first(2, of: events) == [.refreshed, .bindingDowngraded])
    }

    @Test(.timeLimit(.minutes(1))) func `trap 59: a lost key is told once`() async throws {
        let fixture = try SignInFixture()
        _ = try await fixture.session()
        let restarted = try SignInFixture(tokenStore: fixture.tokenStore, server: fixture.server)
        let session = try #require(try await restarted.client.restoreSession(checkingKey: false))
        let events = session.events()
        for _ in 0..<2 {
            let error = await clientError { _ = try await restarted.get(session) }
            #expect(error?.code == .keyMissing)
        }
        await session.signOut()
        #expect(await first(2, of: events) == [.keyLost, .signedOut])
    }

    @Test(.timeLimit(.minutes(1))) func `streams end with the client`() async throws {
        var fixture: SignInFixture? = try SignInFixture()
        let events = try await fixture?.session().events()
        fixture = nil
        for await _ in try #require(events) {}
    }

    @Test func `a session ends when another process has signed in anew, and leaves that sign-in alone`() async throws {
        let fixture = try SignInFixture()
        let old = try await fixture.session()
        let other = try SignInFixture(
            tokenStore: fixture.tokenStore,
            keyStore: fixture.keyStore,
            server: fixture.server,
            seed: 2
        )
        let restored = try #require(try await other.client.restoreSession())
        await restored.signOut()
        let renewed = try await other.session()
        let revoked = await fixture.server.revoked
        let error = await clientError { try await old.tokenManager.refresh() }
        #expect(error?.code == .sessionEnded)
        await old.signOut()
        #expect(await fixture.server.revoked == revoked)
        #expect(try await other.get(renewed).status == 200)
        try await renewed.tokenManager.refresh()
    }
}
