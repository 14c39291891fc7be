// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import SigningKeys
import StrictJSON
import TestSupport
import Testing

@testable import OAuthClient

/// Two users on one device, old session objects, and processes that end in a sign-out.
@Suite("A session is ended by its own sign-out only, and at once", .timeLimit(.minutes(2)))
struct SessionOwnershipTests {
    @Test func `the tokens of another sign-in to the account are not adopted`() async throws {
        let fixture = try SignInFixture()
        let first = try await fixture.session()
        let second = try await fixture.session()
        let error = await clientError { try await first.tokenManager.refresh() }
        #expect(error?.code == .sessionEnded)
        #expect(await fixture.server.refreshes == 0)
        let stored = await fixture.tokenStore.tokens(of: fixture.client.account)
        #expect(try await stored == second.tokenManager.fetch())
        #expect(try await fixture.get(second).status == 200)
    }

    @Test func `tokens of older versions are compared by key, user and scope`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let tokens = try await session.tokenManager.fetch()
        var object = tokens.json
        object["session"] = nil
        object["v"] = nil
        object["access_token"] = "another"
        await fixture.tokenStore.save(try TokenSet(parsing: object), of: fixture.client.account)
        #expect(try await session.tokenManager.refresh().accessToken.value == "another")
        object["scope"] = "api:read admin"
        object["access_token"] = "wider"
        await fixture.tokenStore.save(try TokenSet(parsing: object), of: fixture.client.account)
        let error = await clientError { try await session.tokenManager.refresh() }
        #expect(error?.code == .sessionEnded)
    }

    @Test func `signing out of a session twice does not end the next one`() async throws {
        let fixture = try SignInFixture()
        let old = try await fixture.session()
        #expect(await old.signOut().wasSignedIn)
        let new = try await fixture.session()
        let again = await old.signOut()
        #expect(again.failure == nil)
        #expect(try await fixture.get(new).status == 200)
        try await new.tokenManager.refresh()
        #expect(await fixture.server.revoked.count == 1)
    }

    @Test func `signing out of a session that another sign-in replaced leaves tokens and key of that one`() async throws
    {
        let fixture = try SignInFixture()
        let old = try await fixture.session()
        let oldTokens = try await old.tokenManager.fetch()
        let new = try await fixture.session()
        let result = await old.signOut()
        #expect(result.wasSignedIn)
        #expect(await fixture.server.revoked == [oldTokens.refreshToken?.value])
        #expect(try await fixture.get(new).status == 200)
        try await new.tokenManager.refresh()
        #expect(try await fixture.client.restoreSession() != nil)
    }

    /// Another process of the same device, whose user has consented and whose sign-in waits for its response.
    private func signInElsewhere(
        _ fixture: SignInFixture,
        _ store: (any TokenStore)? = nil
    ) async throws -> (client: OAuth2Client, callback: AuthorizationCallback) {
        let other = try SignInFixture(
            tokenStore: store ?? fixture.tokenStore,
            keyStore: fixture.keyStore,
            server: fixture.server,
            seed: 2
        )
        let request = try await other.client.initiateAuthorization(scopes: ["api:read"])
        return (other.client, try await AuthorizationCallback(url: fixture.server.approve(request)))
    }

    @Test func `a sign-in that ends while a sign-out deletes its key fails, and leaves no tokens`() async throws {
        let keys = SlowlyDeletingKeyStore()
        let fixture = try SignInFixture(keyStore: keys)
        let session = try await fixture.session()
        let store = LockWatchingTokenStore(store: fixture.tokenStore)
        let (other, callback) = try await signInElsewhere(fixture, store)
        let signOut = Task { await session.signOut() }
        // The sign-out has looked at the stored tokens, and is about to delete the key.
        try await keys.deletion.arrival()
        let signIn = Task {
            let error = await clientError { _ = try await other.resumeSignIn(callback) }
            // A sign-in that does not wait for the lock must not leave this test waiting.
            await store.lockIsAskedFor.open()
            return error
        }
        await store.lockIsAskedFor.pass()
        await keys.deletion.open()
        #expect(await signOut.value.failure == nil)
        let error = await signIn.value
        #expect(error?.code == .keyMissing)
        #expect(error?.reason == "a sign-out deleted the key while the sign-in ran; sign in again")
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account) == nil)
        #expect(Set(await fixture.server.revoked).isSuperset(of: await fixture.server.goodRefreshTokens))
    }

    @Test func `a sign-in that ends after the sign-out which deleted its key fails, and leaves no tokens`() async throws
    {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let (other, callback) = try await signInElsewhere(fixture)
        let gate = Gate()
        await fixture.server.change { $0.beforeToken = { await gate.pass() } }
        let signIn = Task { await clientError { _ = try await other.resumeSignIn(callback) } }
        try await gate.arrival()
        #expect(await session.signOut().failure == nil)
        await gate.open()
        #expect(await signIn.value?.code == .keyMissing)
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account) == nil)
        #expect(Set(await fixture.server.revoked).isSuperset(of: await fixture.server.goodRefreshTokens))
        // The next one has a key of its own.
        let new = try await fixture.session()
        #expect(try await fixture.get(new).status == 200)
    }

    @Test func `a sign-in takes over the key of a sign-out whose process was killed before it deleted anything`()
        async throws
    {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let (other, callback) = try await signInElsewhere(fixture)
        let ended = try await session.tokenManager.fetch().noting { $0.endedAt = fixture.clock.now() }
        await fixture.tokenStore.save(ended, of: fixture.client.account)
        let new = try await other.resumeSignIn(callback)
        #expect(try await fixture.get(new).status == 200)
        #expect(try await fixture.client.restoreSession() != nil)
        #expect(await fixture.server.revoked == [])
    }

    @Test func `a session that ended by itself has nothing to sign out of`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.instead["/token"] = [.error(400, "invalid_grant")] }
        _ = await clientError { try await session.tokenManager.refresh() }
        #expect(await session.signOut().wasSignedIn == false)
        #expect(await fixture.server.revoked == [])
    }

    @Test func `the device forgets before the server answers, whatever the network does`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let gate = Gate()
        await fixture.server.change { $0.beforeRevocation = { await gate.pass() } }
        let signOut = Task { await session.signOut() }
        try await gate.arrival()
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account)?.isEnded == true)
        let error = await clientError { _ = try await session.tokenManager.fetch() }
        #expect(error?.code == .sessionEnded)
        await gate.open()
        #expect(await signOut.value.failure == nil)
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account) == nil)
    }

    @Test func `the device forgets although another process holds the lock`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let other = try #require(try await fixture.client.restoreSession())
        let gate = Gate()
        await fixture.server.change { $0.beforeRefresh = { await gate.pass() } }
        let refresh = Task { try await other.tokenManager.refresh() }
        try await gate.arrival()
        let signOut = Task { await session.signOut() }
        while await fixture.tokenStore.tokens(of: fixture.client.account)?.isEnded != true {
            try await Task.sleep(for: .milliseconds(1))
        }
        await gate.open()
        let error = await clientError { _ = try await refresh.value }
        #expect(error?.code == .sessionEnded)
        _ = await signOut.value
        // What the refresh brought is revoked too, and nothing is stored.
        #expect(Set(await fixture.server.revoked).isSuperset(of: await fixture.server.goodRefreshTokens))
        #expect(try await fixture.client.restoreSession() == nil)
    }

    @Test func `a revocation that could not be sent is sent at the next start`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let tokens = try await session.tokenManager.fetch()
        await fixture.server.change { $0.unreachable = ["/revoke"] }
        guard case .pending(let error) = await session.signOut().atServer else {
            Issue.record("the revocation is not pending")
            return
        }
        #expect(error.code == .transportFailed)
        let gate = Gate()
        await fixture.server.change {
            $0.unreachable = []
            $0.beforeRevocation = { await gate.pass() }
        }
        #expect(try await fixture.client.restoreSession() == nil)
        try await gate.arrival()
        await gate.open()
        while await fixture.tokenStore.tokens(of: fixture.client.account) != nil {
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(await fixture.server.revoked == [tokens.refreshToken?.value])
        #expect(try await fixture.keyStore.aliases().isEmpty)
    }

    @Test func `a sign-in after a sign-out that is still pending keeps its own key and tokens`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.unreachable = ["/revoke"] }
        await session.signOut()
        let gate = Gate()
        await fixture.server.change {
            $0.unreachable = []
            $0.beforeRevocation = { await gate.pass() }
        }
        #expect(try await fixture.client.restoreSession() == nil)
        try await gate.arrival()
        let new = try await fixture.session()
        await gate.open()
        while await fixture.server.revoked.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        try await new.tokenManager.refresh()
        #expect(try await fixture.get(new).status == 200)
    }

    @Test func `after seven days tokens that could not be revoked are deleted without the network`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.unreachable = ["/revoke"] }
        await session.signOut()
        fixture.pass(.seconds(8 * 86_400))
        let requests = await fixture.server.requests.count
        #expect(try await fixture.client.restoreSession() == nil)
        #expect(await fixture.tokenStore.tokens(of: fixture.client.account) == nil)
        #expect(await fixture.server.requests.count == requests)
    }

    // MARK: What is stored

    @Test func `members of a newer version survive a refresh by this one`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        var object = try await session.tokenManager.fetch().json
        #expect(object["v"]?.integerValue == 1)
        object["invented_later"] = "kept"
        await fixture.tokenStore.save(try TokenSet(parsing: object), of: fixture.client.account)
        let refreshed = try await #require(try await fixture.client.restoreSession()).tokenManager.refresh()
        #expect(refreshed.json["invented_later"] == "kept")
        #expect(refreshed.json["session"] == object["session"])
        var dumped = ""
        dump(refreshed, to: &dumped)
        #expect(!dumped.contains("kept"))
    }

    @Test func `tokens of a newer format are an error, and a sign-out does not delete them`() async throws {
        let files = FileManager.default.temporaryDirectory.appending(path: "keybound-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: files) }
        let store = FileTokenStore(directory: files.path())
        let fixture = try SignInFixture(tokenStore: store)
        let session = try await fixture.session()
        let file = files.appending(path: fixture.client.account.identifier).appending(path: "tokens.json")
        let newer = try Array(String(contentsOf: file, encoding: .utf8).replacing("\"v\":1", with: "\"v\":2").utf8)
        try PrivateFile.replace(file.path(), with: newer)
        let error = await clientError { _ = try await fixture.client.restoreSession() }
        #expect(error?.code == .storageFailed)
        #expect(error?.reason.contains("newer version") == true)
        let result = await session.signOut()
        #expect(result.failure?.code == .storageFailed)
        #expect(try Array(Data(contentsOf: file)) == newer)
        #expect(try await fixture.keyStore.aliases().count == 1)
    }

    /// What the first release with this format wrote; it must be read for ever.
    @Test func `tokens that earlier versions stored are read`() throws {
        let first = """
            {"access_token":"a","token_type":"DPoP","scope":"api:read","expires_at":1700000300,"refresh_token":"r",\
            "jkt":"0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I","resources":["https://api.example/"]}
            """
        let second = """
            {"access_token":"a","token_type":"DPoP","scope":"api:read","refresh_token":"r",\
            "jkt":"0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I","v":1,"session":"AAAAAAAAAAAAAAAAAAAAAA",\
            "refreshing_since":1700000000,"server_retry_at":1700000100,"ended_at":1700000200}
            """
        for (text, isEnded) in [(first, false), (second, true)] {
            let object = try #require(try JSONValue(parsing: Array(text.utf8)).objectValue)
            let tokens = try TokenSet(parsing: object)
            #expect(tokens.refreshToken?.value == "r")
            #expect(tokens.isEnded == isEnded)
            for member in object.members { #expect(tokens.json[member.name] == member.value, "\(member.name)") }
        }
    }
}
