// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import TestSupport
import Testing

@testable import SigningKeys

@Suite("Tokens with few sessions", .enabled(if: TokenStage.isPrepared))
struct PKCS11SessionTests {
    private let alias: KeyAlias
    private let module: FaultyModule

    init() throws {
        alias = try KeyAlias("key")
        module = try FaultyModule()
    }

    @Test func `fewer sessions than allowed are enough`() async throws {
        let key = try await TokenStage.store("sessions").loadOrGenerate(alias: alias)
        try module.limitSessions(2)
        let store = try TokenStage.store("sessions", module: module.path, sessions: 8)
        let loaded = try #require(try await store.load(alias))
        #expect(loaded.publicKey == key.publicKey)
        try await signAtOnce(200, with: loaded)
    }

    /// PKCS #11 2.40, section 5.6, `C_OpenSession`: `CKR_SESSION_COUNT`.
    @Test func `sessions that signed are given back where a key is made or deleted`() async throws {
        // Of others: SoftHSM signs on the threads of callers, which need not use all sessions.
        try module.setOfOthers()
        let store = try TokenStage.store("given", module: module.path, sessions: 8)
        let key = try await store.loadOrGenerate(alias: alias)
        // One is open now; two more are left.
        try module.limitSessions(2)
        let other = try KeyAlias("other")
        for _ in 0..<3 {
            try await signAtOnce(200, with: key)
            let second = try await store.loadOrGenerate(alias: other)
            try await signAtOnce(200, with: second)
            try await store.delete(other)
        }
    }

    @Test func `a time without sessions does not cost a store the use of several`() async throws {
        let made = try await TokenStage.store("shortage").loadOrGenerate(alias: alias)
        try module.setOfOthers()
        let store = try TokenStage.store("shortage", module: module.path, sessions: 3)
        try module.limitSessions(0)
        for _ in 0..<2 { #expect(await failure { _ = try await store.load(alias) } == .deviceFailed) }
        // Those who had taken them all have closed theirs.
        try module.limitSessions(-1)
        let before = try module.calls("C_OpenSession")
        let key = try #require(try await store.load(alias))
        #expect(key.publicKey == made.publicKey)
        try module.delay("C_Sign", microseconds: 20_000)
        try await signAtOnce(30, with: key)
        #expect(try module.calls("C_OpenSession") == before + 3)
    }

    @Test func `after a minute a store tries again to use the sessions that others had taken`() async throws {
        _ = try await TokenStage.store("reopened").loadOrGenerate(alias: alias)
        try module.setOfOthers()
        let clock = FixedElapsedTime()
        let store = try TokenStage.store("reopened", module: module.path, sessions: 3, clock: clock)
        let key = try #require(try await store.load(alias))
        try module.delay("C_Sign", microseconds: 20_000)
        // The store has one session; others have taken the rest.
        let first = try module.calls("C_OpenSession")
        try module.limitSessions(0)
        try await signAtOnce(30, with: key)
        let refused = try module.calls("C_OpenSession")
        #expect(refused > first)
        // They have closed theirs. No session is opened before the minute is over.
        try module.limitSessions(-1)
        clock.advance(by: .seconds(59))
        try await signAtOnce(30, with: key)
        #expect(try module.calls("C_OpenSession") == refused)
        clock.advance(by: .seconds(1))
        try await signAtOnce(30, with: key)
        #expect(try module.calls("C_OpenSession") == refused + 2)
    }

    private func signAtOnce(_ count: Int, with key: any SigningKey) async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<count {
                group.addTask { try await key.works() }
            }
            for try await works in group { #expect(works) }
        }
    }
}
#endif
