// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import SigningKeys
import TestSupport
import Testing

@testable import OAuthClient

@Suite("Accounts: sign-outs that could not be finished", .timeLimit(.minutes(1)))
struct UnfinishedSignOutTests {
    private let fixture: AccountFixture

    init() async throws {
        fixture = try await AccountFixture()
    }

    private func signedIn(_ manager: AccountManager) async throws -> String {
        try await fixture.signIn(manager, "alice")
        return try #require(try await manager.current()).id
    }

    /// Whether the server can be told to revoke tokens.
    private func server(canRevoke: Bool) async {
        let down = Array(repeating: HTTPResponse(status: 503), count: 20)
        await fixture.provider.change { $0.instead["/revoke"] = canRevoke ? [] : down }
    }

    /// Waits for the revocation that runs in the background.
    private func hasTokens(_ id: String) async throws -> Bool {
        for _ in 0..<4_000 {
            if try await fixture.tokens(of: id) == nil { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    private func ended() async throws -> [String] {
        try await fixture.accountStore.list().ended.map(\.id)
    }

    @Test(arguments: [true, false])
    func `the next start finishes a sign-out of which the server was not told`(deletingAccount: Bool) async throws {
        let manager = try fixture.manager()
        let id = try await signedIn(manager)
        await server(canRevoke: false)
        let result = try await manager.signOut(id, deletingAccount: deletingAccount)
        #expect(result.failure?.code == .serverUnavailable)
        #expect(try await manager.accounts().map(\.id) == (deletingAccount ? [] : [id]))
        #expect(try await manager.current() == nil)
        #expect(try await fixture.tokens(of: id)?.isEnded == true)
        #expect(try await ended() == [id])
        if deletingAccount {
            #expect(await clientError { _ = try await manager.select(id) }?.code == .invalidArgument)
        }

        await server(canRevoke: true)
        let revocations = await fixture.provider.count(at: "/revoke")
        _ = try await fixture.manager(seed: 2).accounts()
        #expect(try await !hasTokens(id))
        #expect(await fixture.provider.count(at: "/revoke") == revocations + 1)
        _ = try await fixture.manager(seed: 3).session()
        #expect(try await ended().isEmpty)
        #expect(try await fixture.accountStore.list().accounts.map(\.id) == (deletingAccount ? [] : [id]))
    }

    @Test func `a server that stays unreachable keeps no tokens on the device after seven days`() async throws {
        let manager = try fixture.manager()
        let id = try await signedIn(manager)
        await server(canRevoke: false)
        try await manager.signOut(id)
        fixture.clock.advance(by: .seconds(8 * 86_400))
        #expect(try await manager.accounts().isEmpty)
        #expect(try await fixture.tokens(of: id) == nil)
        // Nothing is left to do, which the next attempt finds.
        _ = try await fixture.manager(seed: 2).accounts()
        #expect(try await ended().isEmpty)
    }

    @Test func `one manager tries again at most once an hour`() async throws {
        let manager = try fixture.manager()
        let id = try await signedIn(manager)
        await server(canRevoke: false)
        try await manager.signOut(id)
        await server(canRevoke: true)
        let revocations = await fixture.provider.count(at: "/revoke")
        _ = try await manager.accounts()
        _ = try await manager.session()
        #expect(await fixture.provider.count(at: "/revoke") == revocations)
        #expect(try await fixture.tokens(of: id) != nil)
        fixture.clock.advance(by: .seconds(3_600))
        _ = try await manager.session()
        #expect(try await !hasTokens(id))
    }

    @Test func `the next start finishes the sign-out of an account that another sign-in replaced`() async throws {
        let manager = try fixture.manager()
        let old = try await signedIn(manager)
        await server(canRevoke: false)
        let new = try await signedIn(manager)
        #expect(try await manager.accounts().map(\.id) == [new])
        #expect(try await ended() == [old])
        await server(canRevoke: true)
        let later = try fixture.manager(seed: 2)
        #expect(try await later.accounts().map(\.id) == [new])
        #expect(try await !hasTokens(old))
        #expect(try await later.session() != nil)
    }

    @Test(arguments: [true, false])
    func `a sign-out whose process ended before it touched the tokens is finished`(deletingAccount: Bool) async throws {
        let id = try await signedIn(fixture.manager())
        let session = try #require(try await fixture.tokens(of: id)?.record.session)
        let ended = EndedAccount(id: id, session: session, endedAt: fixture.clock.now())
        _ = try await fixture.accountStore.update { list in
            list.note(ended)
            if deletingAccount { list[id] = nil } else { list[id]?.needsSignIn = .signedOut }
        }
        let later = try fixture.manager(seed: 2)
        if deletingAccount {
            #expect(try await later.accounts().isEmpty)
        } else {
            #expect(try await later.select(id) == nil)
            #expect(try await later.current()?.needsSignIn == .signedOut)
        }
        #expect(try await !hasTokens(id))
        #expect(await fixture.provider.count(at: "/revoke") > 0)
        #expect(try await fixture.keyStore.aliases().isEmpty)
    }

    @Test func `a later sign-in to the account is not ended`() async throws {
        let manager = try fixture.manager()
        let id = try await signedIn(manager)
        await server(canRevoke: false)
        try await manager.signOut(id, deletingAccount: false)
        let list = try await fixture.accountStore.list()
        await server(canRevoke: true)
        try await fixture.signIn(manager, "alice", as: id)
        #expect(try await ended().isEmpty)
        // As if the process had ended between the tokens and the list.
        _ = try await fixture.accountStore.update { $0 = list }
        let later = try fixture.manager(seed: 2)
        #expect(try await later.accounts().map(\.id) == [id])
        #expect(try await ended().isEmpty)
        #expect(try await later.select(id) != nil)
        #expect(try await fixture.tokens(of: id)?.isEnded == false)
    }
}
#endif
