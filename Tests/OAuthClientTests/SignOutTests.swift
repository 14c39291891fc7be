// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import SigningKeys
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import OAuthClient

@Suite("RFC 7009: signing out", .timeLimit(.minutes(2)))
struct SignOutTests {
    @Test func `trap 56: revokes the refresh token, then nothing is left`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let tokens = try await session.tokenManager.fetch()
        await session.signOut()
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
        let error = await session.signOut().failure
        #expect(error?.code == .transportFailed)
        #expect(try await fixture.client.restoreSession() == nil)
    }

    @Test func `trap 56: a server that is busy says when to come back`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let busy = HTTPResponse(status: 503, fields: ["Retry-After": "30"])
        await fixture.server.change { $0.instead["/revoke"] = [busy] }
        let error = await session.signOut().failure
        #expect(error?.code == .serverUnavailable)
        #expect(error?.retryAfter == .seconds(30))
    }

    @Test func `a server without revocation is no reason to complain`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.metadata = ["revocation_endpoint": .null] }
        fixture.pass(.seconds(7200))
        await session.signOut()
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account) == nil)
    }

    @Test func `a store that does not delete is reported`() async throws {
        let store = FaultyTokenStore()
        let fixture = try SignInFixture(tokenStore: store)
        let session = try await fixture.session()
        await store.failToDelete()
        await store.failSaves(4)
        let error = await session.signOut().failure
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

    @Test func `a sign-in that starts while the key is deleted waits, and has a new one`() async throws {
        let keys = SlowlyDeletingKeyStore()
        let fixture = try SignInFixture(keyStore: keys)
        let old = try await fixture.session().tokenManager.fetch().keyThumbprint
        let session = try #require(try await fixture.client.restoreSession())
        let signOut = Task { await session.signOut() }
        try await keys.deletion.arrival()
        let isSignedIn = Mutex(false)
        let signIn = Task {
            let session = try await fixture.session()
            isSignedIn.withLock { $0 = true }
            return session
        }
        // As long as a sign-in takes that does not wait.
        for _ in 0..<1000 where !isSignedIn.withLock({ $0 }) { await Task.yield() }
        await keys.deletion.open()
        _ = await signOut.value
        let new = try await signIn.value.tokenManager.fetch().keyThumbprint
        #expect(new != old)
        // The key that this process continues with is the one that another process finds.
        let stored = try await keys.load(#require(try await keys.aliases().first))
        #expect(stored?.publicKey.thumbprint == new)
        #expect(try await fixture.get(signIn.value).status == 200)
    }

    @Test func `a sign-in after another process signed out has the key that is stored then`() async throws {
        let keys = MemoryKeyStore()
        let store = MemoryTokenStore()
        let server = FakeServer()
        let one = try SignInFixture(tokenStore: store, keyStore: keys, server: server)
        let other = try SignInFixture(tokenStore: store, keyStore: keys, server: server, seed: 2)
        let old = try await one.session().tokenManager.fetch().keyThumbprint
        await (try #require(try await other.client.restoreSession())).signOut()
        let session = try await one.session()
        let new = try await session.tokenManager.fetch().keyThumbprint
        #expect(new != old)
        let stored = try await keys.load(#require(try await keys.aliases().first))
        #expect(stored?.publicKey.thumbprint == new)
        #expect(try await one.get(session).status == 200)
    }

    @Test func `whoever deletes and is cancelled deletes all the same`() async throws {
        let keys = SlowlyDeletingKeyStore()
        let fixture = try SignInFixture(keyStore: keys)
        let session = try await fixture.session()
        let signOut = Task { await session.signOut() }
        try await keys.deletion.arrival()
        signOut.cancel()
        await keys.deletion.open()
        _ = await signOut.value
        #expect(try await keys.aliases().isEmpty)
        _ = try await fixture.session()
        #expect(try await keys.aliases().count == 1)
    }

    @Test(arguments: [
        (false, false, true), (true, true, true), (true, false, true), (false, false, false), (true, true, false),
        (true, false, false),
    ])
    func `a sign-in revokes the tokens that it replaces, if they could be used or a sign-out was under way`(
        _ isBound: Bool,
        _ isEnded: Bool,
        _ hasRefreshToken: Bool
    ) async throws {
        let fixture = try SignInFixture()
        let key = try JWKThumbprint("0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        let old = TokenSet(
            accessToken: AccessToken("old-access"),
            tokenType: isBound ? .dpop : .bearer,
            expiresAt: nil,
            refreshToken: hasRefreshToken ? RefreshToken("old-refresh") : nil,
            scope: try Scope([]),
            keyThumbprint: isBound ? key : nil
        )
        let ended = isEnded ? fixture.clock.now() : nil
        await fixture.tokenStore.save(old.noting { $0.endedAt = ended }, of: fixture.client.account)
        _ = try await fixture.session()
        let expected = hasRefreshToken ? "old-refresh" : "old-access"
        #expect(await fixture.server.revoked == (isBound && !isEnded ? [] : [expected]))
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account)?.refreshToken != old.refreshToken)
    }

    @Test func `a step-up revokes the unbound tokens that it replaces, also without a refresh token`() async throws {
        let fixture = try SignInFixture()
        func tokens(_ accessToken: String) throws -> TokenSet {
            TokenSet(
                accessToken: AccessToken(accessToken),
                tokenType: .bearer,
                expiresAt: nil,
                refreshToken: nil,
                scope: try Scope([]),
                keyThumbprint: nil
            )
        }
        let session = try await fixture.client.startSession(with: tokens("old-access"))
        try await session.tokenManager.replace(with: tokens("new-access"))
        #expect(await fixture.server.revoked == ["old-access"])
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account)?.accessToken.value == "new-access")
    }

    @Test func `the tokens that another process stored last are the ones that are revoked`() async throws {
        let fixture = try SignInFixture()
        let first = try await fixture.session()
        let second = try #require(try await fixture.client.restoreSession())
        let newest = try await second.tokenManager.refresh()
        await first.signOut()
        #expect(await fixture.server.revoked == [newest.refreshToken?.value])
        // The other session notices when it needs new tokens.
        let error = await clientError { try await second.tokenManager.refresh() }
        #expect(error?.code == .sessionEnded)
    }

    @Test func `signing out of one account leaves the others`() async throws {
        let keys = MemoryKeyStore()
        let store = MemoryTokenStore()
        let work = try SignInFixture(tokenStore: store, keyStore: keys) { $0.account = "work" }
        let home = try SignInFixture(tokenStore: store, keyStore: keys) { $0.account = "home" }
        let (first, second) = (try await work.session(), try await home.session())
        let tokens = try await (first.tokenManager.fetch(), second.tokenManager.fetch())
        #expect(tokens.0.keyThumbprint != tokens.1.keyThumbprint)
        await first.signOut()
        #expect(try await home.get(second).status == 200)
        try await second.tokenManager.refresh()
        #expect(try await keys.aliases().count == 1)
    }

    @Test func `signing out during a refresh revokes what the refresh brings, and nobody gets it`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let gate = Gate()
        await fixture.server.change { $0.beforeRefresh = { await gate.pass() } }
        let refresh = Task { try await session.tokenManager.refresh() }
        try await gate.arrival()
        let signOut = Task { await session.signOut() }
        while await fixture.tokenStore.tokens(of: fixture.client.account)?.isEnded != true {
            try await Task.sleep(for: .milliseconds(1))
        }
        await gate.open()
        let error = await clientError { _ = try await refresh.value }
        #expect(error?.code == .sessionEnded)
        _ = await signOut.value
        // What the refresh brought, and what was stored before it.
        #expect(Set(await fixture.server.revoked).isSuperset(of: await fixture.server.goodRefreshTokens))
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account) == nil)
    }
}
