// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthClient
import OAuthSystem
import OAuthTesting
import SigningKeys
import StrictJSON
import Testing

@Suite struct DeterminismTests {
    @Test func `the same seed gives the same exchanges, but for the signatures of proofs`() async throws {
        let (first, second) = (try await Self.exchanges(seed: 1), try await Self.exchanges(seed: 1))
        #expect(first.count == 13)
        #expect(Self.firstDifference(first, second) == nil)
        #expect(try await Self.firstDifference(first, Self.exchanges(seed: 2)) != nil)
    }

    @Test func `servers of tests that run side by side do not meet`() async throws {
        let alone = try await Self.exchanges(seed: 3)
        try await withThrowingTaskGroup(of: [Exchange].self) { group in
            for _ in 0..<20 { group.addTask { try await Self.exchanges(seed: 3) } }
            for try await exchanges in group { #expect(Self.firstDifference(exchanges, alone) == nil) }
        }
    }

    @Test func `entropy depends on the seed, the name, and what was taken before`() {
        let entropy = DeterministicEntropy(seed: 1)
        #expect(Base64URL.encode(entropy.bytes(12)) == "GAUQfx8k0Utz4Uye")
        let separate = entropy.separate("a")
        #expect(separate.bytes(40) == DeterministicEntropy().separate("a").bytes(40))
        #expect(separate.bytes(40) != DeterministicEntropy().separate("a").bytes(40))
        #expect(separate.bytes(0).isEmpty)
        let blocks = [
            entropy.bytes(32), entropy.bytes(32), entropy.separate("a").bytes(32), entropy.separate("b").bytes(32),
            DeterministicEntropy(seed: 2).bytes(32),
        ]
        #expect(Set(blocks).count == blocks.count)
    }

    @Test func `keys depend on the entropy and the name, and do not come back`() async throws {
        let (a, b) = (try KeyAlias("a"), try KeyAlias("b"))
        let (store, other) = (Self.store(), Self.store())
        let key = try await store.loadOrGenerate(alias: a).publicKey
        _ = try await other.loadOrGenerate(alias: b)
        #expect(key.thumbprint.description == "Su1jHCOa05OUq5zwadAlN1fbXT_A_fYyxLmjMLl03Sg")
        #expect(try await other.loadOrGenerate(alias: a).publicKey == key)
        #expect(try await store.loadOrGenerate(alias: a).publicKey == key)
        #expect(try await other.loadOrGenerate(alias: b).publicKey != key)
        #expect(try await store.aliases() == [a])
        #expect(try await other.aliases() == [a, b])
        try await store.delete(a)
        #expect(try await store.load(a) == nil)
        #expect(try await store.loadOrGenerate(alias: a).publicKey != key)
    }

    @Test func `only algorithms whose keys are 32 bytes have keys that repeat`() async throws {
        let store = Self.store()
        await #expect(throws: KeyStoreError.self) {
            try await store.loadOrGenerate(alias: KeyAlias("a"), algorithm: .es384)
        }
        _ = try await store.loadOrGenerate(alias: KeyAlias("a"), algorithm: .edDSA)
        await #expect(throws: KeyStoreError.self) { try await store.loadOrGenerate(alias: KeyAlias("a")) }
    }

    @Test func `time passes for both clocks, and is set for one`() {
        let clock = TestClock(secondsSince1970: 100)
        clock.advance(by: .milliseconds(1500))
        #expect(clock.now() == Timestamp(millisecondsSince1970: 101_500) && clock.elapsed() == .milliseconds(1500))
        clock.set(to: Timestamp(secondsSince1970: 5))
        clock.advance(by: .seconds(-3))
        #expect(clock.now() == Timestamp(secondsSince1970: 5) && clock.elapsed() == .milliseconds(1500))
    }

    /// A request and its answer; of proofs all but the signatures.
    private struct Exchange: Equatable {
        let request: HTTPRequest
        let response: HTTPResponse?

        init(_ exchange: RecordedExchange) {
            var request = exchange.requestWithSecretsInClear
            // In its place: the order of the fields counts too.
            request.fields = HTTPFields(
                request.fields.all.map { field in
                    guard field.name.lowercased() == "dpop" else { return field }
                    let unsigned = field.value.split(separator: ".").dropLast().joined(separator: ".")
                    return HTTPFields.Field(name: field.name, value: unsigned)
                }
            )
            self.request = request
            response = exchange.responseWithSecretsInClear
        }
    }

    /// The number of the first exchange that is not the same: a failure that shows them whole fills a screen.
    private static func firstDifference(_ left: [Exchange], _ right: [Exchange]) -> Int? {
        guard left.count == right.count else { return min(left.count, right.count) }
        return left.indices.first { left[$0] != right[$0] }
    }

    /// What is sent from the sign-in to the sign-out.
    private static func exchanges(seed: UInt64) async throws -> [Exchange] {
        let app = try await SignedInApp(seed: seed)
        let person = FakeUserAgent(
            username: "ada",
            password: FakeAuthorizationServer.defaultPassword,
            transport: app.recording
        )
        let session = try await app.client.signIn(scopes: SignedInApp.scopes, using: person)
        _ = try await SignedInApp.call(session)
        app.server.expireAccessTokens()
        _ = try await SignedInApp.call(session)
        await session.signOut()
        return app.recording.exchanges.map(Exchange.init)
    }

    private static func store() -> DeterministicKeyStore {
        DeterministicKeyStore(DeterministicEntropy(seed: 4))
    }
}
