// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthSystem
import ServerStorage
import SigningKeys
import TestSupport
import Testing

@Suite("Signing keys: what stored times mean")
struct SigningKeyScheduleTests {
    private static let start = FixedClock().now()
    private static let policy = SigningKeyPolicy(rotation: .seconds(1000), publication: .seconds(100))

    private func key(
        _ keyID: String,
        from seconds: Int64,
        lifetime: Int64 = 50,
        revokedAt: Int64? = nil,
        _ algorithm: SignatureAlgorithm = .es256
    ) throws -> StoredSigningKey {
        StoredSigningKey(
            keyID: keyID,
            algorithm: algorithm,
            publicKey: try TestKey.p256().publicKey,
            wrappedKey: WrappedKey([1]),
            publishedAt: Self.start + .seconds(seconds - 100),
            activeFrom: Self.start + .seconds(seconds),
            tokenLifetime: .seconds(lifetime),
            revokedAt: revokedAt.map { Self.start + .seconds($0) }
        )
    }

    private func schedule(_ keys: [StoredSigningKey], at seconds: Int64) -> SigningKeySchedule {
        SigningKeySchedule(keys, of: .es256, Self.policy, at: Self.start + .seconds(seconds))
    }

    /// `state kid since until` of each key, in seconds.
    private func lines(_ schedule: SigningKeySchedule) -> [String] {
        func seconds(_ time: Timestamp) -> Int64 { time.secondsSince1970 - Self.start.secondsSince1970 }
        return schedule.entries.map { entry in
            "\(entry.state) \(entry.key.keyID) \(seconds(entry.since)) \(entry.until.map { "\(seconds($0))" } ?? "-")"
        }
    }

    @Test func `without a key the first one is missing, and signs at once`() throws {
        let empty = schedule([try key("r", from: 0, .rs256)], at: 7)
        #expect(empty.entries.isEmpty && empty.active == nil)
        #expect(empty.vacancy?.predecessor == nil)
        #expect(empty.vacancy?.activeFrom == Self.start + .seconds(7))
    }

    @Test func `the next key is missing as soon as it has to be published, and not before`() throws {
        let keys = [try key("a", from: 0)]
        #expect(schedule(keys, at: 899).vacancy == nil)
        let due = try #require(schedule(keys, at: 900).vacancy)
        #expect(due.predecessor == "a")
        #expect(due.activeFrom == Self.start + .seconds(1000))
        // Nobody was there in time: it is published first all the same.
        #expect(schedule(keys, at: 5000).vacancy?.activeFrom == Self.start + .seconds(5100))
        #expect(lines(schedule(keys, at: 5000)) == ["active a 0 1000"])
    }

    @Test func `a key is next, active, retired, and then forgotten`() throws {
        let keys = [try key("b", from: 1000), try key("a", from: 0)]
        #expect(lines(schedule(keys, at: 999)) == ["active a 0 1000", "next b 900 1000"])
        #expect(schedule(keys, at: 999).vacancy == nil)
        #expect(lines(schedule(keys, at: 1000)) == ["active b 1000 2000", "retired a 1000 1110"])
        #expect(schedule(keys, at: 1109).published.map(\.keyID) == ["b", "a"])
        let after = schedule(keys, at: 1110)
        #expect(after.published.map(\.keyID) == ["b"])
        #expect(after.removable == ["a"])
        #expect(schedule(keys, at: 1109).removable.isEmpty)
    }

    @Test func `retired keys stay for as long as what they signed can be valid`() throws {
        let keys = [try key("a", from: 0, lifetime: 5000), try key("b", from: 1000), try key("c", from: 2000)]
        #expect(
            lines(schedule(keys, at: 2050)) == ["active c 2000 3000", "retired b 2000 2110", "retired a 1000 6060"]
        )
    }

    @Test func `a revoked key is published no more, signs no more, and is followed by nothing`() throws {
        let keys = [
            try key("a", from: 0, revokedAt: 500), try key("b", from: 1000, revokedAt: 500), try key("n", from: 500),
        ]
        let now = schedule(keys, at: 500)
        #expect(now.published.map(\.keyID) == ["n"])
        #expect(now.active?.keyID == "n")
        #expect(lines(now).dropFirst() == ["revoked a 500 610", "revoked b 500 610"])
        #expect(schedule(keys, at: 1500).vacancy?.predecessor == "n")
        #expect(schedule(keys, at: 610).removable.sorted() == ["a", "b"])
    }

    @Test func `a clock that was set back leaves a key that signs, and makes none`() throws {
        let keys = [try key("a", from: 0), try key("b", from: 1000)]
        let before = schedule(keys, at: -10_000)
        #expect(before.active?.keyID == "a")
        #expect(before.published.count == 2)
        #expect(before.vacancy == nil && before.removable.isEmpty)
    }

    @Test func `two keys of the same moment have one order`() throws {
        let keys = [try key("b", from: 0), try key("a", from: 0)]
        #expect(schedule(keys, at: 0) == schedule(keys.reversed(), at: 0))
        #expect(schedule(keys, at: 0).active?.keyID == "b")
    }

    @Test(arguments: [
        (1000, 1, 10), (1000, 501, 10), (1000, 100, 16_001),
    ])
    func `a policy that cannot be kept is rejected`(rotation: Int64, publication: Int64, lifetime: Int64) throws {
        let policy = SigningKeyPolicy(rotation: .seconds(rotation), publication: .seconds(publication))
        #expect(throws: AuthorizationServerError.self) { try policy.validate(tokenLifetime: .seconds(lifetime)) }
        try Self.policy.validate(tokenLifetime: .seconds(16_000))
        try SigningKeyPolicy().validate(tokenLifetime: .seconds(30 * 86_400))
    }
}
