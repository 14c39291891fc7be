// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import StrictJSON
import Testing

@testable import OAuthClient

@Suite("Accounts: calls at the same time", .timeLimit(.minutes(1)))
struct AccountRaceTests {
    @Test func `two callers at once get one session, and the manager hears of its end`() async throws {
        let store = HeldTokenStore()
        let fixture = try await AccountFixture(tokenStore: store)
        try await fixture.signIn(try fixture.manager(), "alice")
        let later = try fixture.manager(seed: 2)
        await store.hold(2)
        let first = Task { try await later.session() }
        try await store.arrival(of: 1)
        let second = Task { try await later.session() }
        try await store.arrival(of: 2)
        await store.release()
        let session = try #require(try await first.value)
        await store.release()
        #expect(try await second.value === session)

        var states = later.states().makeAsyncIterator()
        guard case .signedIn = await states.next() else {
            Issue.record("the account is not signed in")
            return
        }
        let gone: JSONObject = ["error": "invalid_grant"]
        await fixture.provider.change { $0.instead["/token"] = [.json(400, gone)] }
        #expect(await clientError { try await session.refresh() }?.code == .sessionEnded)
        guard case .needsSignIn(_, .expired) = await states.next() else {
            Issue.record("the state does not say that the user must sign in")
            return
        }
        #expect(try await later.session() == nil)
    }

    @Test func `an event of an earlier session does not end the session of the next sign-in`() async throws {
        let fixture = try await AccountFixture()
        let manager = try fixture.manager()
        try await fixture.signIn(manager, "alice")
        let id = try #require(try await manager.current()?.id)
        let earlier = try #require(await manager.watching[id]?.number)
        try await fixture.signIn(manager, "alice", as: id)
        // It was on its way when the user signed in again.
        await manager.end(id, .expired, from: earlier)
        #expect(try await manager.current()?.needsSignIn == nil)
        #expect(try await manager.session() != nil)
        let newest = try #require(await manager.watching[id]?.number)
        await manager.end(id, .expired, from: newest)
        #expect(try await manager.current()?.needsSignIn == .expired)
    }
}
#endif
