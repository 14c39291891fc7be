// SPDX-License-Identifier: Apache-2.0

import Foundation
import OAuthCore
import OAuthSystem
import SigningKeys
import StrictJSON
import TestSupport
import Testing

@testable import OAuthClient

@Suite("RFC 6749 section 4.4: the session of a service that starts often", .timeLimit(.minutes(2)))
struct StoredServiceSessionTests {
    private func fixture() throws -> SignInFixture {
        try SignInFixture { $0.clientAuthentication = .clientSecretPost(ClientSecret("a secret")) }
    }

    private func start(_ fixture: SignInFixture, renewingNow: Bool = false) async throws -> OAuthSession {
        try await fixture.client.storedServiceSession(scopes: ["api:read"], renewingNow: renewingNow)
    }

    private func tokenRequests(_ fixture: SignInFixture) async -> Int {
        await fixture.server.requests(to: "/token").count
    }

    @Test func `the next start uses the stored tokens, until they expire`() async throws {
        let fixture = try fixture()
        for _ in 0..<3 { #expect(try await fixture.get(start(fixture)).status == 200) }
        #expect(await tokenRequests(fixture) == 1)
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account)?.refreshToken == nil)
        fixture.pass(.seconds(400))
        for _ in 0..<3 { #expect(try await fixture.get(start(fixture)).status == 200) }
        #expect(await tokenRequests(fixture) == 2)
        _ = try await start(fixture, renewingNow: true)
        #expect(await tokenRequests(fixture) == 3)
    }

    @Test func `a token that the API rejects is renewed, and the next start has the new one`() async throws {
        let fixture = try fixture()
        _ = try await start(fixture)
        await fixture.server.forgetAccessTokens()
        #expect(try await fixture.get(start(fixture)).status == 200)
        #expect(try await fixture.get(start(fixture)).status == 200)
        #expect(await tokenRequests(fixture) == 2)
    }

    @Test func `stored tokens whose key is gone are not used, and the next start has new ones`() async throws {
        let fixture = try fixture()
        _ = try await start(fixture)
        // A program that keeps its tokens in files and its key in memory, after a restart.
        let restarted = try SignInFixture(tokenStore: fixture.tokenStore, server: fixture.server, seed: 2) {
            $0.clientAuthentication = .clientSecretPost(ClientSecret("a secret"))
        }
        #expect(try await restarted.get(start(restarted)).status == 200)
        #expect(await tokenRequests(fixture) == 2)
    }

    @Test func `a renewal does not use tokens that are bound to the key of another process`() async throws {
        let fixture = try fixture()
        let session = try await start(fixture)
        // Both keep their key in memory: the second one finds none for the stored tokens, and replaces them.
        let other = try SignInFixture(tokenStore: fixture.tokenStore, server: fixture.server, seed: 2) {
            $0.clientAuthentication = .clientSecretPost(ClientSecret("a secret"))
        }
        await fixture.server.forgetAccessTokens()
        let second = try await start(other)
        #expect(try await fixture.get(session).status == 200)
        #expect(try await other.get(second).status == 200)
        #expect(await tokenRequests(fixture) == 3)
    }

    @Test func `processes that share a store ask for new tokens once`() async throws {
        let fixture = try fixture()
        let first = try await start(fixture)
        let second = try await start(fixture)
        fixture.pass(.seconds(400))
        #expect(try await fixture.get(first).status == 200)
        #expect(try await fixture.get(second).status == 200)
        #expect(await tokenRequests(fixture) == 2)
        let (newest, adopted) = (try await first.tokenManager.fetch(), try await second.tokenManager.fetch())
        #expect(newest.accessToken == adopted.accessToken)
    }

    /// Starts a session, writes something else in place of its tokens, and runs a test with the file.
    private func withTokenFile(
        containing text: String,
        _ test: (_ fixture: SignInFixture, _ file: URL) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "keybound-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let fixture = try SignInFixture(tokenStore: FileTokenStore(directory: directory.path())) {
            $0.clientAuthentication = .clientSecretPost(ClientSecret("a secret"))
        }
        _ = try await start(fixture)
        let file = directory.appending(path: fixture.client.account.identifier).appending(path: "tokens.json")
        try PrivateFile.replace(file.path(), with: Array(text.utf8))
        try await test(fixture, file)
    }

    @Test func `damaged tokens do not stop a service: it gets new ones`() async throws {
        try await withTokenFile(containing: "x") { fixture, _ async throws in
            #expect(try await fixture.get(start(fixture)).status == 200)
            #expect(try await fixture.get(start(fixture)).status == 200)
            #expect(await tokenRequests(fixture) == 2)
        }
    }

    @Test func `tokens of a newer version are an error, and stay as they are`() async throws {
        let newer = #"{"v":99}"#
        try await withTokenFile(containing: newer) { fixture, file async throws in
            let error = await clientError { _ = try await start(fixture) }
            #expect(error?.code == .storageFailed && error?.underlying is NewerFormat)
            #expect(try Array(Data(contentsOf: file)) == Array(newer.utf8))
            #expect(await tokenRequests(fixture) == 1)
        }
    }

    @Test func `tokens that others can read are an error, and stay as they are`() async throws {
        let damaged = "x"
        try await withTokenFile(containing: damaged) { fixture, file async throws in
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path())
            let error = await clientError { _ = try await start(fixture) }
            #expect(error?.code == .storageFailed)
            #expect(try Array(Data(contentsOf: file)) == Array(damaged.utf8))
            #expect(await tokenRequests(fixture) == 1)
        }
    }

    @Test func `tokens of a user, or for other scopes, are not used`() async throws {
        let fixture = try fixture()
        let user = try await fixture.session()
        let ofUser = try await user.tokenManager.fetch().accessToken
        let ofService = try await start(fixture).tokenManager.fetch().accessToken
        #expect(ofService != ofUser)
        let other = try await fixture.client.storedServiceSession(scopes: ["api:read", "api:write"])
        #expect(try await other.tokenManager.fetch().accessToken != ofService)
        // The order of scopes means nothing.
        let same = try await fixture.client.storedServiceSession(scopes: ["api:write", "api:read"])
        #expect(try await same.tokenManager.fetch().accessToken == other.tokenManager.fetch().accessToken)
    }

    @Test func `signing out revokes the token, and deletes what is stored and the key`() async throws {
        let fixture = try fixture()
        let session = try await start(fixture)
        let other = try await start(fixture)
        let token = try await session.tokenManager.fetch().accessToken
        let result = await session.signOut()
        #expect(result.failure == nil)
        #expect(await fixture.server.revoked == [token.value])
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account) == nil)
        #expect(try await fixture.keyStore.aliases().isEmpty)
        // Another process does not bring back what was ended.
        let sent = await tokenRequests(fixture)
        fixture.pass(.seconds(400))
        #expect(await clientError { _ = try await fixture.get(other) }?.code == .sessionEnded)
        #expect(await clientError { _ = try await fixture.get(other) }?.code == .sessionEnded)
        #expect(await tokenRequests(fixture) == sent)
        #expect(try await fixture.get(start(fixture)).status == 200)
    }

    @Test func `what a renewal brings during a sign-out of another process is revoked, and not stored`() async throws {
        let fixture = try fixture()
        let session = try await start(fixture)
        let other = try await start(fixture)
        let gate = Gate()
        await fixture.server.change { $0.beforeToken = { await gate.pass() } }
        let renewal = Task { try await other.tokenManager.refresh() }
        try await gate.arrival()
        // It marks what is stored as ended, and then waits for the renewal, which has the lock.
        let ending = Task { await session.signOut() }
        let account = fixture.client.account
        for _ in 0..<10_000 where await fixture.tokenStore.tokens(of: account)?.isEnded != true {
            try await Task.sleep(for: .milliseconds(1))
        }
        await gate.open()
        #expect(await clientError { _ = try await renewal.value }?.code == .sessionEnded)
        _ = await ending.value
        #expect(await fixture.tokenStore.tokens(of: account) == nil)
        let (issued, revoked) = await (fixture.server.goodTokens, fixture.server.revoked)
        #expect(issued.count == 2 && Set(revoked) == issued)
    }

    @Test func `a sign-out that waits for the server leaves tokens and key of a session that starts meanwhile`()
        async throws
    {
        let fixture = try fixture()
        let account = fixture.client.account
        let session = try await start(fixture)
        let old = try await session.tokenManager.fetch().accessToken
        let gate = Gate()
        await fixture.server.change { $0.beforeRevocation = { await gate.pass() } }
        let ending = Task { await session.signOut() }
        try await gate.arrival()
        let starting = Task { try await start(fixture) }
        while await fixture.tokenStore.tokens(of: account)?.isEnded != false { await Task.yield() }
        await gate.open()
        #expect(await ending.value.failure == nil)
        let new = try await starting.value
        let token = try await new.tokenManager.fetch().accessToken
        #expect(token != old)
        #expect(await fixture.tokenStore.tokens(of: account)?.accessToken == token)
        #expect(try await fixture.keyStore.aliases().count == 1)
        #expect(try await fixture.get(new).status == 200)
        let revoked = await fixture.server.revoked
        #expect(Set(revoked) == [old.value])
        // The next start finds them too.
        let sent = await tokenRequests(fixture)
        #expect(try await fixture.get(start(fixture)).status == 200)
        #expect(await tokenRequests(fixture) == sent)
    }

    @Test func `a renewal during which a session is started uses the tokens of that one, and revokes its own`()
        async throws
    {
        let fixture = try fixture()
        let session = try await start(fixture)
        let gate = Gate()
        await fixture.server.change { $0.beforeToken = { await gate.pass() } }
        let renewal = Task { try await session.tokenManager.refresh() }
        try await gate.arrival()
        await fixture.server.change { $0.beforeToken = nil }
        let started = try await start(fixture, renewingNow: true).tokenManager.fetch()
        await gate.open()
        #expect(try await renewal.value.accessToken == started.accessToken)
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account)?.accessToken == started.accessToken)
        let (issued, revoked) = await (fixture.server.goodTokens, fixture.server.revoked)
        #expect(issued.count == 3 && revoked.count == 1 && revoked != [started.accessToken.value])
    }

    @Test func `a revocation that a sign-out could not send is sent at the next start`() async throws {
        let fixture = try fixture()
        let session = try await start(fixture)
        let old = try await session.tokenManager.fetch().accessToken
        await fixture.server.change { $0.unreachable = ["/revoke"] }
        guard case .pending = await session.signOut().atServer else {
            Issue.record("the revocation is not pending")
            return
        }
        await fixture.server.change { $0.unreachable = [] }
        #expect(try await fixture.get(start(fixture)).status == 200)
        let revoked = await fixture.server.revoked
        #expect(Set(revoked) == [old.value])
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account)?.isEnded == false)
    }

    @Test(arguments: [1, 8])
    func `a start finishes the sign-out of a process that was killed: another key, and a revocation within seven days`(
        _ days: Int64
    ) async throws {
        let fixture = try fixture()
        let old = try await start(fixture).tokenManager.fetch()
        let now = fixture.clock.now()
        await fixture.tokenStore.save(old.noting { $0.endedAt = now }, of: fixture.client.account)
        fixture.pass(.seconds(days * 86_400))
        let session = try await start(fixture)
        let new = try await session.tokenManager.fetch()
        #expect(new.keyThumbprint != old.keyThumbprint)
        #expect(try await fixture.get(session).status == 200)
        let revoked = await fixture.server.revoked
        #expect(Set(revoked) == (days == 1 ? [old.accessToken.value] : []))
    }

    @Test func `tokens that an earlier version stored are used, and a renewal keeps their name`() async throws {
        let fixture = try fixture()
        let account = fixture.client.account
        let tokens = try await start(fixture).tokenManager.fetch()
        let name = try #require(tokens.json["session"]?.stringValue)
        var earlier = tokens.json
        earlier["session"] = .string(String(name.prefix(22)))
        await fixture.tokenStore.save(try TokenSet(parsing: earlier), of: account)
        let session = try await start(fixture)
        #expect(await tokenRequests(fixture) == 1)
        try await session.refresh()
        #expect(await fixture.tokenStore.tokens(of: account)?.json["session"] == earlier["session"])
        #expect(await tokenRequests(fixture) == 2)
    }
}
