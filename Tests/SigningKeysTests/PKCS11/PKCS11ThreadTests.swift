// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import JOSE
import Testing

@testable import SigningKeys

@Suite("Where tokens sign", .enabled(if: TokenStage.isPrepared))
struct PKCS11ThreadTests {
    private let alias: KeyAlias
    private let module: FaultyModule
    private let message = Array("message".utf8)

    init() throws {
        alias = try KeyAlias("key")
        module = try FaultyModule()
    }

    /// Signs; whether that happened on the thread of the caller.
    private func signsHere(_ key: any SigningKey) async throws -> Bool {
        let thread = Self.thread()
        let signature = try await key.sign(message)
        #expect(key.publicKey.isValidSignature(signature, for: message, algorithm: key.algorithm))
        return try module.signingThread() == thread
    }

    private static func thread() -> UInt { pthread_self() }

    /// After a signature that took 20 ms, as any can on a busy machine, a store signs elsewhere for a minute; the next
    /// store does not.
    @Test func `SoftHSM signs on the thread of the caller`() async throws {
        for _ in 0..<50 {
            let key = try await TokenStage.store("threads", module: module.path).loadOrGenerate(alias: alias)
            let start = ContinuousClock.now
            var places: [Bool] = []
            for _ in 0..<3 { places.append(try await signsHere(key)) }
            let time = ContinuousClock.now - start
            #expect(places[0])
            if places == [true, true, true] { return }
            try #require(time > .milliseconds(20), "none of them was slow")
        }
        Issue.record("fifty stores did not sign three times on the thread of the caller")
    }

    @Test func `a module of others does not`() async throws {
        try module.setOfOthers()
        let key = try await TokenStage.store("strangers", module: module.path).loadOrGenerate(alias: alias)
        for _ in 0..<3 { #expect(try await !signsHere(key)) }
    }

    @Test func `nor does a key that wants its PIN each time`() async throws {
        let made = ["--keypairgen", "--usage-sign", "--key-type", "EC:prime256v1", "--id", "01", "--label", "key"]
        try await TokenStage.tool("asking", made + ["--always-auth"])
        let key = try #require(try await TokenStage.store("asking", module: module.path).load(alias))
        for _ in 0..<3 { #expect(try await !signsHere(key)) }
    }

    @Test func `nor does one that was slow`() async throws {
        let key = try await TokenStage.store("slow", module: module.path).loadOrGenerate(alias: alias)
        try module.delay("C_Sign", microseconds: 25_000)
        #expect(try await signsHere(key))
        try module.delay("C_Sign", microseconds: 0)
        for _ in 0..<3 { #expect(try await !signsHere(key)) }
    }

    @Test func `nor one whose session somebody uses`() async throws {
        let store = try TokenStage.store("busy", module: module.path, sessions: 1)
        let key = try await store.loadOrGenerate(alias: alias)
        let made = try module.calls("C_GenerateKeyPair")
        // Longer than a busy machine keeps this test from its signature.
        try module.delay("C_GenerateKeyPair", microseconds: 8_000_000)
        let other = Task { try await store.loadOrGenerate(alias: KeyAlias("other")) }
        for _ in 0..<30_000 where try module.calls("C_GenerateKeyPair") == made {
            try await Task.sleep(for: .milliseconds(1))
        }
        try #require(try module.calls("C_GenerateKeyPair") > made)
        #expect(try await !signsHere(key))
        #expect(try await other.value.publicKey != key.publicKey)
        #expect(try await signsHere(key))
    }
}
#endif
