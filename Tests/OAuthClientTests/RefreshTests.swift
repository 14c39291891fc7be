// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import SigningKeys
import StrictJSON
import TestSupport
import Testing

@testable import OAuthClient

@Suite("RFC 6749 section 6: refresh", .timeLimit(.minutes(2)))
struct RefreshTests {
    @Test func `an expired token is refreshed before it is sent`() async throws {
        let fixture = try SignInFixture { $0.refreshAhead = .zero }
        let session = try await fixture.session()
        fixture.pass(.seconds(299))
        _ = try await fixture.get(session)
        #expect(await fixture.server.refreshes == 0)
        fixture.pass(.seconds(1))
        _ = try await fixture.get(session)
        #expect(await fixture.server.refreshes == 1)
        #expect(await fixture.server.requests(to: "/api/items").count == 2)
    }

    @Test func `a token is renewed before it expires, between half and all of the time that was said`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        fixture.pass(.seconds(269))
        let old = try await session.tokenManager.fetch()
        #expect(await fixture.server.refreshes == 0)
        fixture.pass(.seconds(16))
        #expect(try await session.tokenManager.fetch() != old)
        #expect(await fixture.server.refreshes == 1)
    }

    @Test func `devices that started together do not refresh together`() {
        let due = Set(
            (UInt64(0)..<64).map { seed in
                let lifetime = TokenLifetime(
                    expiresAt: Timestamp(secondsSince1970: 300),
                    ahead: .seconds(30),
                    now: Timestamp(secondsSince1970: 0),
                    elapsed: .zero,
                    entropy: SeededEntropy(seed: seed)
                )
                return (0...300).first { lifetime.isDue(at: .seconds($0)) } ?? -1
            }
        )
        #expect(due.count > 8)
        #expect(due.allSatisfy { (270...285).contains($0) })
    }

    @Test func `an early refresh that fails is no error, and is not tried again at once`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.unreachable = ["/token"] }
        fixture.pass(.seconds(286))
        let requests = await fixture.server.requests(to: "/token").count
        for _ in 0..<3 { #expect(try await fixture.get(session).status == 200) }
        #expect(await fixture.server.requests(to: "/token").count == requests + 1)
        // For an expired token, a refresh is tried again after a pause.
        fixture.pass(.seconds(14))
        let error = await clientError { _ = try await session.tokenManager.fetch() }
        #expect(error?.code == .transportFailed)
        let early = await clientError { _ = try await session.tokenManager.fetch() }
        #expect(early?.code == .serverUnavailable)
        #expect(try #require(early?.retryAfter) <= .seconds(2))
        #expect(await fixture.server.requests(to: "/token").count == requests + 2)
        await fixture.server.change { $0.unreachable = [] }
        fixture.pass(.seconds(2))
        #expect(try await fixture.get(session).status == 200)
    }

    @Test func `trap 46: a wall clock that jumps is not even noticed while the process runs`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        fixture.clock.advance(by: .seconds(-1_000_000))
        #expect(try await fixture.get(session).status == 200)
        fixture.clock.advance(by: .seconds(9_000_000))
        #expect(try await fixture.get(session).status == 200)
        #expect(await fixture.server.refreshes == 0)
    }

    @Test(arguments: [-1_000_000, 9_000_000])
    func `trap 46: a wall clock that jumped before a restart costs a refresh, not the session`(
        _ seconds: Int
    ) async throws {
        let fixture = try SignInFixture()
        _ = try await fixture.session()
        fixture.clock.advance(by: .seconds(seconds))
        let restored = try #require(try await fixture.client.restoreSession())
        await fixture.server.forgetAccessTokens()
        #expect(try await fixture.get(restored).status == 200)
        #expect(await fixture.server.refreshes == 1)
    }

    @Test func `trap 48: many who need a new token share one refresh`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.forgetAccessTokens()
        let gate = Gate()
        await fixture.server.change { $0.beforeRefresh = { await gate.pass() } }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 { group.addTask { try await fixture.get(session).status } }
            try await gate.arrival()
            await gate.open()
            for try await status in group { #expect(status == 200) }
        }
        #expect(await fixture.server.refreshes == 1)
        #expect(await fixture.server.violations == [])
    }

    @Test func `trap 48: whoever gives up waiting does not cancel the refresh`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let gate = Gate()
        await fixture.server.change { $0.beforeRefresh = { await gate.pass() } }
        let first = Task { try await session.tokenManager.refresh() }
        try await gate.arrival()
        // At once: after the refresh it would start another one.
        let second = Task.immediate { try await session.tokenManager.refresh() }
        first.cancel()
        await gate.open()
        let refreshed = try await second.value
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account) == refreshed)
        #expect(await fixture.server.refreshes == 1)
    }

    @Test func `trap 49: a token that is not the newest is answered with the newest`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let old = try await session.tokenManager.fetch()
        let new = try await session.tokenManager.refresh(replacing: old.accessToken)
        #expect(try await session.tokenManager.refresh(replacing: old.accessToken) == new)
        #expect(await fixture.server.refreshes == 1)
    }

    @Test func `trap 48: a thousand calls share one refresh`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.forgetAccessTokens()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 { group.addTask { try await fixture.get(session).status } }
            for try await status in group { #expect(status == 200) }
        }
        #expect(await fixture.server.refreshes == 1)
        #expect(await fixture.server.violations == [])
    }

    @Test func `trap 50: tokens that another process has refreshed are taken over`() async throws {
        let fixture = try SignInFixture()
        let first = try await fixture.session()
        let second = try #require(try await fixture.client.restoreSession())
        let refreshed = try await first.tokenManager.refresh()
        #expect(try await second.tokenManager.refresh() == refreshed)
        #expect(await fixture.server.refreshes == 1)
    }

    @Test func `trap 50: two sessions of one store that refresh at the same time do not race`() async throws {
        let fixture = try SignInFixture()
        let first = try await fixture.session()
        let second = try #require(try await fixture.client.restoreSession())
        let gate = Gate()
        await fixture.server.change { $0.beforeRefresh = { await gate.pass() } }
        async let one = first.tokenManager.refresh()
        try await gate.arrival()
        async let other = second.tokenManager.refresh()
        // Time for a second request, which must not be sent.
        try await Task.sleep(for: .milliseconds(100))
        await gate.open()
        let (mine, yours) = try await (one, other)
        #expect(mine == yours)
        #expect(await fixture.server.refreshes == 1)
    }

    @Test func `trap 50: on invalid_grant the newest stored tokens decide, also without a lock`() async throws {
        let store = FaultyTokenStore()
        let fixture = try SignInFixture(tokenStore: store)
        let first = try await fixture.session()
        let second = try #require(try await fixture.client.restoreSession())
        let gate = Gate()
        await fixture.server.change { $0.beforeRefresh = { await gate.pass() } }
        let slow = Task { try await second.tokenManager.refresh() }
        try await gate.arrival()
        // The second refresh finishes first, and its tokens are stored before the slow one gets its response.
        await fixture.server.change { $0.beforeRefresh = nil }
        let refreshed = try await first.tokenManager.refresh()
        await gate.open()
        #expect(try await slow.value == refreshed)
        #expect(await fixture.server.refreshes == 2)
        #expect(try await store.tokens(of: fixture.client.account) == refreshed)
    }

    @Test func `trap 51: an absent refresh token means to keep the old one`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let old = try await session.tokenManager.fetch()
        await fixture.server.change { $0.tokenMembers = ["refresh_token": .null] }
        let new = try await session.tokenManager.refresh()
        #expect(new.refreshToken == old.refreshToken)
        #expect(new.accessToken != old.accessToken)
    }

    @Test func `trap 51: tokens are stored before they are handed out, and a failed save is tried again`() async throws
    {
        let store = FaultyTokenStore()
        let fixture = try SignInFixture(tokenStore: store)
        let session = try await fixture.session()
        await store.failSaves(1)
        let tokens = try await session.tokenManager.refresh()
        // The sign-in, the word that a refresh begins, that again, and the tokens.
        #expect(await store.saves == 4)
        #expect(try await store.tokens(of: fixture.client.account) == tokens)
    }

    @Test func `trap 51: tokens that cannot be stored are revoked and reported`() async throws {
        let store = FaultyTokenStore()
        let fixture = try SignInFixture(tokenStore: store)
        let session = try await fixture.session()
        await store.failSaves(2, after: 1)
        let error = await clientError { try await session.tokenManager.refresh() }
        #expect(error?.code == .sessionEnded)
        #expect(error?.recovery == .signInAgain)
        let cause = error?.underlying as? OAuthClientError
        #expect(cause?.code == .storageFailed)
        #expect(cause?.underlying is FaultyTokenStore.Fault)
        #expect(await fixture.server.revoked.count == 1)
        #expect(await fixture.server.goodRefreshTokens == Set(await fixture.server.revoked))
        // The old refresh token is consumed and the new one revoked: another request would only look like theft.
        let later = await clientError { try await session.tokenManager.refresh() }
        #expect(later?.code == .sessionEnded)
        #expect(await fixture.server.refreshes == 1)
        #expect(try await fixture.client.restoreSession() == nil)
    }

    @Test func `a store that cannot save before a refresh keeps the session`() async throws {
        let store = FaultyTokenStore()
        let fixture = try SignInFixture(tokenStore: store)
        let session = try await fixture.session()
        await store.failSaves(2)
        let error = await clientError { try await session.tokenManager.refresh() }
        #expect(error?.code == .storageFailed)
        #expect(await fixture.server.refreshes == 0)
        try await session.tokenManager.refresh()
    }

    @Test func `trap 52: invalid_grant ends the session`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.instead["/token"] = [.error(400, "invalid_grant")] }
        let error = await clientError { try await session.tokenManager.refresh() }
        #expect(error?.code == .sessionEnded)
        #expect(error?.answer?.error == .invalidGrant)
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account) == nil)
        let later = await clientError { _ = try await fixture.get(session) }
        #expect(later?.code == .sessionEnded)
        #expect(await fixture.server.requests(to: "/api/items").isEmpty)
    }

    @Test(arguments: [
        HTTPResponse(status: 503), HTTPResponse(status: 429), HTTPResponse(status: 500, body: Array("<html>".utf8)),
        .error(400, "temporarily_unavailable"),
    ])
    func `trap 52: a server that is down does not end the session`(_ answer: HTTPResponse) async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.instead["/token"] = [answer] }
        let error = await clientError { try await session.tokenManager.refresh() }
        #expect(error?.code == .serverUnavailable)
        try await session.tokenManager.refresh()
    }

    @Test func `trap 52: a broken network does not end the session`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.unreachable = ["/token"] }
        let error = await clientError { try await session.tokenManager.refresh() }
        #expect(error?.code == .transportFailed)
        await fixture.server.change { $0.unreachable = [] }
        try await session.tokenManager.refresh()
    }

    @Test func `trap 52: a key store that is locked for now does not end the session`() async throws {
        let keys = LockedKeyStore()
        keys.unlock()
        let fixture = try SignInFixture(keyStore: keys)
        _ = try await fixture.session()
        let restarted = try SignInFixture(tokenStore: fixture.tokenStore, keyStore: keys, server: fixture.server)
        keys.lock()
        let session = try #require(try await restarted.client.restoreSession())
        let error = await clientError { try await session.tokenManager.refresh() }
        #expect(error?.code == .keyUnavailable)
        keys.unlock()
        try await session.tokenManager.refresh()
    }

    @Test func `trap 53 and 19: the refresh has the key of the sign-in and the client_id`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        try await session.tokenManager.refresh()
        #expect(Set(await fixture.server.proofs.map(\.thumbprint)).count == 1)
        let request = try #require(await fixture.server.requests(to: "/token").last)
        let form = try FormParameters(decoding: request.body)
        #expect(form.all.map(\.name) == ["grant_type", "refresh_token", "client_id"])
    }

    @Test func `trap 11 and 53: a lost key ends in a new sign-in, never in a new key`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let tokens = try await session.tokenManager.fetch()
        let restarted = try SignInFixture(tokenStore: fixture.tokenStore)
        let restored = try #require(try await restarted.client.restoreSession(checkingKey: false))
        let lost = await clientError { _ = try await restarted.get(restored) }
        #expect(lost?.code == .keyMissing)
        #expect(try await restarted.keyStore.aliases().isEmpty)
        #expect(await restarted.server.requests.isEmpty)
        _ = try await restarted.session()
        await fixture.tokenStore.save(tokens, of: restarted.client.account)
        let other = try #require(try await restarted.client.restoreSession(checkingKey: false))
        let changed = await clientError { _ = try await restarted.get(other) }
        #expect(changed?.code == .keyMismatch)
    }

    @Test func `trap 60: a key that is locked for now is asked for again`() async throws {
        let store = LockedKeyStore()
        let client = try OAuth2Client(
            issuer: FakeServer.issuer,
            clientID: "my-app",
            redirectURI: "com.example.app:/callback",
            keyStore: store,
            transport: FakeServer()
        )
        let error = await clientError { _ = try await client.initiateAuthorization(scopes: []) }
        #expect(error?.code == .keyUnavailable)
        #expect((error?.underlying as? KeyStoreError)?.code == .deviceLocked)
        store.unlock()
        _ = try await client.initiateAuthorization(scopes: [])
    }

    @Test func `a lower scope of the refreshed token is kept`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session(scopes: ["a", "b"])
        await fixture.server.change { $0.tokenMembers = ["scope": "a"] }
        #expect(try await session.tokenManager.refresh().scope == Scope(["a"]))
    }
}
