// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import SigningKeys
import TestSupport
import Testing

@Suite("RFC 6749 section 6: refresh")
struct RefreshTests {
    @Test func `an expired token is refreshed before it is sent`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        fixture.clock.advance(by: .seconds(299))
        _ = try await fixture.get(session)
        #expect(await fixture.server.refreshes == 0)
        fixture.clock.advance(by: .seconds(1))
        _ = try await fixture.get(session)
        #expect(await fixture.server.refreshes == 1)
        #expect(await fixture.server.requests(to: "/api/items").count == 2)
    }

    @Test func `trap 46: a clock that jumps costs a refresh, not the session`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        fixture.clock.advance(by: .seconds(-1_000_000))
        #expect(try await fixture.get(session).status == 200)
        fixture.clock.advance(by: .seconds(9_000_000))
        #expect(try await fixture.get(session).status == 200)
    }

    @Test func `trap 48: many who need a new token share one refresh`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.forgetAccessTokens()
        let gate = Gate()
        await fixture.server.change { $0.beforeRefresh = { await gate.pass() } }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 { group.addTask { try await fixture.get(session).status } }
            await gate.arrival()
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
        await gate.arrival()
        let second = Task { try await session.tokenManager.refresh() }
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

    @Test func `trap 50: tokens that another process has refreshed are taken over`() async throws {
        let fixture = try SignInFixture()
        let first = try await fixture.session()
        let second = try #require(try await fixture.client.restoreSession())
        let refreshed = try await first.tokenManager.refresh()
        #expect(try await second.tokenManager.refresh() == refreshed)
        #expect(await fixture.server.refreshes == 1)
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
        #expect(await store.saves == 3)
        #expect(try await store.tokens(of: fixture.client.account) == tokens)
    }

    @Test func `trap 51: tokens that cannot be stored are revoked and reported`() async throws {
        let store = FaultyTokenStore()
        let fixture = try SignInFixture(tokenStore: store)
        let session = try await fixture.session()
        await store.failSaves(2)
        let error = await clientError { try await session.tokenManager.refresh() }
        #expect(error?.code == .storageFailed)
        #expect(error?.underlying is FaultyTokenStore.Fault)
        #expect(await fixture.server.revoked.count == 1)
        #expect(await fixture.server.goodRefreshTokens == Set(await fixture.server.revoked))
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
        let restored = try #require(try await restarted.client.restoreSession())
        let lost = await clientError { _ = try await restarted.get(restored) }
        #expect(lost?.code == .keyChanged)
        #expect(try await restarted.keyStore.aliases().isEmpty)
        #expect(await restarted.server.requests.isEmpty)
        _ = try await restarted.session()
        let other = try await restarted.client.startSession(with: tokens)
        let changed = await clientError { _ = try await restarted.get(other) }
        #expect(changed?.code == .keyChanged)
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

@Suite("RFC 7009: signing out")
struct SignOutTests {
    @Test func `trap 56: revokes the refresh token, then nothing is left`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let tokens = try await session.tokenManager.fetch()
        try await session.signOut()
        #expect(await fixture.server.revoked == [tokens.refreshToken?.value])
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account) == nil)
        #expect(try await fixture.client.restoreSession() == nil)
        let error = await clientError { _ = try await fixture.get(session) }
        #expect(error?.code == .sessionEnded)
    }

    @Test func `trap 56: tokens are deleted here even when the network fails`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.unreachable = ["/revoke"] }
        let error = await clientError { try await session.signOut() }
        #expect(error?.code == .transportFailed)
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account) == nil)
    }

    @Test func `trap 56: a server that is busy says when to come back`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let busy = HTTPResponse(status: 503, fields: ["Retry-After": "30"])
        await fixture.server.change { $0.instead["/revoke"] = [busy] }
        let error = await clientError { try await session.signOut() }
        #expect(error?.code == .serverUnavailable)
        #expect(error?.retryAfter == .seconds(30))
    }

    @Test func `a server without revocation is no reason to complain`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.metadata = ["revocation_endpoint": .null] }
        fixture.clock.advance(by: .seconds(7200))
        try await session.signOut()
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account) == nil)
    }

    @Test func `a store that does not delete is reported`() async throws {
        let store = FaultyTokenStore()
        let fixture = try SignInFixture(tokenStore: store)
        let session = try await fixture.session()
        await store.failToDelete()
        let error = await clientError { try await session.signOut() }
        #expect(error?.code == .storageFailed)
    }

    @Test func `after signing out a new sign-in has a new key and no old nonces`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.tokenNonces = .fixed("n1") }
        try await fixture.session().signOut()
        let before = await fixture.server.proofs
        _ = try await fixture.session()
        let after = await fixture.server.proofs.dropFirst(before.count)
        #expect(after.first?.nonce == nil)
        #expect(after.first?.thumbprint != before.first?.thumbprint)
    }

    @Test func `signing out waits for a refresh that runs and revokes its token`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let gate = Gate()
        await fixture.server.change { $0.beforeRefresh = { await gate.pass() } }
        let refresh = Task { try await session.tokenManager.refresh() }
        await gate.arrival()
        let signOut = Task { try await session.signOut() }
        await gate.open()
        let tokens = try await refresh.value
        try await signOut.value
        #expect(await fixture.server.revoked == [tokens.refreshToken?.value])
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account) == nil)
    }
}
