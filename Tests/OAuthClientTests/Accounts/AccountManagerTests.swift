// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthCore
import OAuthTransport
import SigningKeys
import StrictJSON
import TestSupport
import Testing

@testable import OAuthClient

/// Holds each response of the token endpoint until the test lets it go.
private struct HeldTransport: ClientTransport {
    let base = DatedTransport()
    let gate: Gate

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        let response = try await base.send(request, maximumBodySize: maximumBodySize)
        if request.target.hasSuffix("/token") { await gate.pass() }
        return response
    }
}

@Suite("Accounts: several users of one app", .timeLimit(.minutes(3)))
struct AccountManagerTests {
    private let fixture: AccountFixture
    private let tokenStore = FaultyTokenStore()

    init() async throws {
        fixture = try await AccountFixture(tokenStore: tokenStore)
    }

    @Test func `two users are listed, used in turn, and signed out one by one`() async throws {
        let manager = try fixture.manager()
        #expect(try await manager.accounts().isEmpty)
        #expect(try await manager.session() == nil)
        try await fixture.signIn(manager, "alice")
        try await fixture.signIn(manager, "bob")
        let accounts = try await manager.accounts()
        #expect(accounts.map(\.subject) == ["alice", "bob"])
        #expect(accounts.map(\.displayName) == ["Name of alice", "Name of bob"])
        #expect(try await manager.current()?.subject == "bob")

        let alice = try #require(try await manager.select(accounts[0].id))
        #expect(try await manager.current()?.id == accounts[0].id)
        #expect(try await alice.tokenManager.fetch().idToken?.subject == "alice")
        let result = try await manager.signOut(accounts[1].id)
        #expect(result.wasSignedIn && result.failure == nil)
        #expect(try await manager.accounts().map(\.subject) == ["alice"])
        #expect(try await manager.current()?.subject == "alice")
        #expect(try await fixture.tokens(of: accounts[1].id) == nil)

        try await manager.signOut(accounts[0].id, deletingAccount: false)
        #expect(try await manager.current() == nil)
        #expect(try await manager.accounts().map(\.needsSignIn) == [.signedOut])
        #expect(try await fixture.tokens(of: accounts[0].id) == nil)
        // The same account again.
        try await fixture.signIn(manager, "alice", as: accounts[0].id)
        #expect(try await manager.accounts().map(\.id) == [accounts[0].id])
        #expect(try await manager.current()?.needsSignIn == nil)
    }

    @Test func `accounts and sessions outlive the process`() async throws {
        try await fixture.signIn(try fixture.manager(), "alice")
        try await fixture.signIn(try fixture.manager(seed: 2), "bob")
        let later = try fixture.manager(seed: 3)
        #expect(try await later.accounts().map(\.subject) == ["alice", "bob"])
        let session = try #require(try await later.session())
        #expect(try await session.tokenManager.fetch().idToken?.subject == "bob")
    }

    @Test func `an account knows its server, and when it was used last, to the minute`() async throws {
        let manager = try fixture.manager()
        try await fixture.signIn(manager, "alice")
        let first = try #require(try await manager.current())
        #expect(first.issuer == fixture.provider.base && first.lastUsedAt == fixture.clock.now())
        fixture.clock.advance(by: .seconds(59))
        _ = try await manager.session()
        #expect(try await manager.current()?.lastUsedAt == first.lastUsedAt)
        fixture.clock.advance(by: .seconds(60))
        _ = try await manager.session()
        let later = try #require(try await manager.current())
        #expect(later.lastUsedAt == fixture.clock.now() && later.signedInAt == first.signedInAt)
        // A list of the first versions names the server once.
        var object = try await fixture.accountStore.list().json
        var account = later.json
        account["issuer"] = nil
        account["last_used_at"] = nil
        object["accounts"] = [.object(account)]
        let older = try AccountList(parsing: object).accounts
        #expect(older.map(\.issuer) == [fixture.provider.base] && older.map(\.lastUsedAt) == [later.signedInAt])
    }

    @Test func `a second sign-in of the same user replaces the account, and revokes its tokens`() async throws {
        let manager = try fixture.manager()
        try await fixture.signIn(manager, "alice")
        let first = try #require(try await manager.current())
        try await fixture.signIn(manager, "alice")
        let accounts = try await manager.accounts()
        #expect(accounts.count == 1 && accounts.first?.id != first.id)
        #expect(try await fixture.tokens(of: first.id) == nil)
        #expect(await fixture.provider.count(at: "/revoke") > 0)
    }

    @Test func `another user does not get into an account`() async throws {
        let manager = try fixture.manager()
        try await fixture.signIn(manager, "alice")
        let account = try #require(try await manager.current())
        let own = try await fixture.tokens(of: account.id)
        let hinted = await clientError { try await fixture.signIn(manager, "bob", as: account.id) }
        #expect(hinted?.code == .anotherUser)
        #expect(try await fixture.tokens(of: account.id) == own)
        try await manager.signOut(account.id, deletingAccount: false)
        // Without tokens there is no hint: the list knows the user.
        let saves = await tokenStore.saves
        let revocations = await fixture.provider.count(at: "/revoke")
        let other = await clientError { try await fixture.signIn(manager, "bob", as: account.id) }
        #expect(other?.code == .anotherUser)
        #expect(await tokenStore.saves == saves, "the tokens of another user are never stored")
        #expect(await fixture.provider.count(at: "/revoke") == revocations + 1)
        #expect(try await fixture.tokens(of: account.id) == nil)
        #expect(try await manager.accounts().map(\.needsSignIn) == [.signedOut])
        let unseen = await clientError {
            _ = try await manager.signIn(
                scopes: ["api:read"],
                using: ProviderUser(subject: "bob", provider: fixture.provider),
                as: account.id
            )
        }
        #expect(unseen?.code == .invalidArgument)
        #expect(try await manager.accounts().map(\.subject) == ["alice"])
        #expect(try await manager.select(account.id) == nil)
        let unknown = await clientError { try await fixture.signIn(manager, "bob", as: "nobody") }
        #expect(unknown?.code == .invalidArgument)
    }

    @Test func `tokens of another user in the place of an account are no session of it`() async throws {
        let manager = try fixture.manager()
        try await fixture.signIn(manager, "alice")
        let alice = try #require(try await manager.current())
        try await fixture.signIn(manager, "bob")
        let bob = try #require(try await manager.current())
        let place = fixture.account(alice.id)
        let foreign = try #require(try await fixture.tokens(of: bob.id))
        try await tokenStore.save(foreign, of: place)
        let later = try fixture.manager(seed: 2)
        #expect(try await later.select(alice.id) == nil)
        #expect(try await later.current()?.needsSignIn == .anotherUser)
        #expect(try await fixture.tokens(of: alice.id)?.refreshToken == foreign.refreshToken)
        #expect(try await later.select(bob.id) != nil)
    }

    @Test func `a sign-in that is cancelled during the exchange is finished, and the list names its tokens`()
        async throws
    {
        let gate = Gate()
        let manager = try fixture.manager(transport: HeldTransport(gate: gate))
        let caller = Task { try await fixture.signIn(manager, "alice") }
        try await gate.arrival()
        caller.cancel()
        #expect(await clientError { _ = try await caller.value }?.code == .cancelled)
        var states = manager.states().makeAsyncIterator()
        await gate.open()
        while let state = await states.next() {
            if case .signedIn = state { break }
        }
        let account = try #require(try await manager.accounts().first)
        #expect(account.subject == "alice" && account.needsSignIn == nil)
        #expect(try await fixture.manager(seed: 2).session() != nil)
        #expect(try await fixture.accountStore.list().accounts.map(\.id) == [account.id])
    }

    @Test func `a sign-in that fails leaves nothing`() async throws {
        let manager = try fixture.manager()
        await fixture.provider.change { $0.instead["/token"] = [HTTPResponse(status: 400), HTTPResponse(status: 400)] }
        #expect(await clientError { try await fixture.signIn(manager, "alice") } != nil)
        #expect(try await fixture.accountStore.list().accounts.isEmpty)
        #expect(try await fixture.accountStore.list().ended.isEmpty)
        #expect(try await fixture.keyStore.aliases().isEmpty)
    }

    @Test func `a sign-in whose list could not be finished is found by the next start`() async throws {
        let broken = try fixture.manager()
        await fixture.accountStore.fail(after: 1)
        let error = await clientError { try await fixture.signIn(broken, "alice") }
        #expect(error?.code == .storageFailed)
        await fixture.accountStore.fail(after: .max)
        let accounts = try await fixture.manager(seed: 2).accounts()
        #expect(accounts.map(\.subject) == ["alice"])
        let session = try #require(try await fixture.manager(seed: 3).select(accounts[0].id))
        #expect(try await session.tokenManager.fetch().idToken?.subject == "alice")
    }

    @Test func `a list that cannot be written prevents the sign-in`() async throws {
        let manager = try fixture.manager()
        await fixture.accountStore.fail(after: 0)
        #expect(await clientError { try await fixture.signIn(manager, "alice") }?.code == .storageFailed)
        #expect(await fixture.provider.count(at: "/token") == 0)
    }

    @Test func `views follow the account, and learn that its user must sign in again`() async throws {
        let manager = try fixture.manager()
        var states = manager.states().makeAsyncIterator()
        #expect(await states.next() == .unknown)
        #expect(try await manager.session() == nil)
        #expect(await states.next() == .signedOut)
        let session = try await fixture.signIn(manager, "alice")
        let account = try #require(try await manager.current())
        #expect(await states.next() == .signedIn(account))

        let gone: JSONObject = ["error": "invalid_grant"]
        await fixture.provider.change { $0.instead["/token"] = [.json(400, gone)] }
        #expect(await clientError { try await session.refresh() }?.code == .sessionEnded)
        guard case .needsSignIn(let ended, .expired) = await states.next() else {
            Issue.record("the state does not say that the user must sign in")
            return
        }
        #expect(ended.id == account.id)
        #expect(try await manager.session() == nil)
        #expect(try await fixture.manager(seed: 2).accounts().map(\.needsSignIn) == [.expired])
        // A new reader begins with the newest state.
        var again = manager.states().makeAsyncIterator()
        guard case .needsSignIn = await again.next() else {
            Issue.record("a new reader does not begin with the newest state")
            return
        }
    }

    @Test(arguments: ["invalid_client", "unauthorized_client"])
    func `a server that refuses the client ends no session, and the account says so until it knows it again`(
        _ code: String
    ) async throws {
        let manager = try fixture.manager()
        let session = try await fixture.signIn(manager, "alice")
        let account = try #require(try await manager.current())
        var states = manager.states().makeAsyncIterator()
        #expect(await states.next() == .signedIn(account))
        await fixture.provider.change { $0.instead["/token"] = [.error(401, code)] }
        #expect(await clientError { try await session.refresh() }?.code == .serverRejected)
        guard case .needsSignIn(_, .clientRefused) = await states.next() else {
            Issue.record("the state does not say that the client is refused")
            return
        }
        #expect(try await fixture.tokens(of: account.id) != nil)
        // It survives a restart, and the session is there.
        let later = try fixture.manager(seed: 2)
        let again = try #require(try await later.session())
        #expect(try await later.accounts().map(\.needsSignIn) == [.clientRefused])
        states = later.states().makeAsyncIterator()
        guard case .needsSignIn(_, .clientRefused) = await states.next() else {
            Issue.record("the state after a restart does not say that the client is refused")
            return
        }
        try await again.refresh()
        guard case .signedIn = await states.next() else {
            Issue.record("the state does not say that the client is known again")
            return
        }
        #expect(try await later.accounts().map(\.needsSignIn) == [nil])
    }

    @Test func `a list is of one server and one client: another manager leaves it alone, and says so`() async throws {
        let manager = try fixture.manager()
        try await fixture.signIn(manager, "alice")
        let account = try #require(try await manager.current())
        let other = try fixture.manager(seed: 2, clientID: "other-app")
        #expect(await clientError { _ = try await other.accounts() }?.code == .invalidArgument)
        #expect(await clientError { _ = try await other.select(account.id) }?.code == .invalidArgument)
        #expect(await clientError { _ = try await other.signOut(account.id) }?.code == .invalidArgument)
        #expect(await clientError { try await fixture.signIn(other, "bob") }?.code == .invalidArgument)
        let again = try fixture.manager(seed: 3)
        #expect(try await again.accounts().map(\.needsSignIn) == [nil])
        #expect(try await again.session() != nil)
    }

    @Test func `an account whose key is gone needs a sign-in`() async throws {
        let first = try fixture.manager()
        try await fixture.signIn(first, "alice")
        let account = try #require(try await first.current())
        for alias in try await fixture.keyStore.aliases() { try await fixture.keyStore.delete(alias) }
        let later = try fixture.manager(seed: 2)
        #expect(try await later.session() == nil)
        #expect(try await later.accounts().first?.needsSignIn != nil)
        #expect(try await later.select(account.id) == nil)
    }

    @Test func `a storage without a list of accounts is an error`() throws {
        let storage = ClientStorage(
            keyStore: MemoryKeyStore(),
            tokenStore: MemoryTokenStore(),
            transactionStore: MemoryTransactionStore()
        )
        let error = #expect(throws: OAuthClientError.self) {
            try AccountManager(
                issuer: "https://auth.example.com",
                clientID: "a",
                redirectURI: "com.example.app:/callback",
                storage: storage
            )
        }
        #expect(error?.code == .invalidArgument)
    }
}
#endif
