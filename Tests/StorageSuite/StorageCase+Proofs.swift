// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
package import DPoP
import JOSE
import OAuthSystem
import ServerStorage
import Testing

extension StorageCase {
    static let replay: [StorageCase] = [
        StorageCase("a proof is new once") { store async throws in
            let end = Sample.now + .seconds(300)
            let key = try Sample.replayKey("1")
            #expect(try await store.insert(key, until: end, now: Sample.now) == .inserted)
            #expect(try await store.insert(key, until: end, now: Sample.now) == .replayed)
            #expect(try await store.insert(key, until: end + .seconds(60), now: Sample.now) == .replayed)
        },
        StorageCase("proofs with another identifier or key are other proofs") { store async throws in
            let end = Sample.now + .seconds(300)
            #expect(try await store.insert(Sample.replayKey("1"), until: end, now: Sample.now) == .inserted)
            #expect(try await store.insert(Sample.replayKey("2"), until: end, now: Sample.now) == .inserted)
            let other = try Sample.replayKey("1", owner: "other")
            #expect(try await store.insert(other, until: end, now: Sample.now) == .inserted)
        },
        StorageCase("a proof is stored until it expires, including the last millisecond") { store async throws in
            let end = Sample.now + .seconds(300)
            let key = try Sample.replayKey("1")
            #expect(try await store.insert(key, until: end, now: Sample.now) == .inserted)
            _ = try await store.deleteExpired(at: end, limit: 100)
            #expect(try await store.insert(Sample.replayKey("2"), until: end, now: end) == .inserted)
            #expect(try await store.insert(key, until: end, now: end) == .replayed)
        },
        StorageCase("proofs of pushed requests are new once, and deleted like the others") { store async throws in
            let end = Sample.now + .seconds(300)
            let key = try Sample.replayKey("1")
            #expect(try await store.insert(key, in: .pushed, until: end, now: Sample.now) == .inserted)
            #expect(try await store.insert(key, in: .pushed, until: end, now: Sample.now) == .replayed)
            #expect(try await store.insert(Sample.replayKey("2"), until: end, now: Sample.now) == .inserted)
            _ = try await store.deleteExpired(at: end + .milliseconds(1), limit: 100)
            let after = end + .seconds(100)
            #expect(try await store.insert(key, in: .pushed, until: after + .seconds(300), now: after) == .inserted)
        },
        StorageCase(race: "of 64 pushed requests with one proof one is new, through whichever handle") { handles in
            let key = try Sample.replayKey("1")
            let outcomes = try await Race.run(handles) { store, _ in
                try await store.insert(key, in: .pushed, until: Sample.now + .seconds(300), now: Sample.now)
            }
            #expect(outcomes.count(of: .inserted) == 1)
            #expect(outcomes.count(of: .replayed) == Race.size - 1)
        },
    ]

    static let nonces: [StorageCase] = [
        StorageCase("the first nonce secret is stored, and all later callers get it") { store async throws in
            let first = DPoPNonceSecret(number: 7, bytes: Sample.hash("first").bytes)
            let second = DPoPNonceSecret(number: 8, bytes: Sample.hash("second").bytes)
            #expect(try await store.nonceSecrets(keeping: first) == [first])
            #expect(try await store.nonceSecrets(keeping: second) == [first])
        },
        StorageCase("an old nonce secret gets a successor with the next number, and two are kept") {
            store async throws in
            func propose(_ label: String, after seconds: Int64) async throws -> [DPoPNonceSecret] {
                let secrets = try await store.nonceSecrets(
                    replacingAfter: .seconds(100),
                    with: DPoPNonceSecret(number: 0, bytes: Sample.hash(label).bytes),
                    starting: Sample.epoch("a"),
                    at: Sample.now + .seconds(seconds)
                )
                return secrets.secrets
            }
            func secret(_ label: String, _ number: UInt8) -> DPoPNonceSecret {
                DPoPNonceSecret(number: number, bytes: Sample.hash(label).bytes)
            }
            _ = try await store.nonceSecrets(keeping: secret("a", 254))
            #expect(try await propose("b", after: 99) == [secret("a", 254)])
            #expect(try await propose("c", after: 100) == [secret("c", 255), secret("a", 254)])
            #expect(try await propose("d", after: 199) == [secret("c", 255), secret("a", 254)])
            #expect(try await propose("e", after: 200) == [secret("e", 0), secret("c", 255)])
            // A clock that steps back changes nothing.
            #expect(try await propose("f", after: 0) == [secret("e", 0), secret("c", 255)])
        },
        StorageCase(race: "of 64 servers that replace an old nonce secret at once, one wins") { handles async throws in
            let first = DPoPNonceSecret(number: 1, bytes: Sample.hash("first").bytes)
            _ = try await handles[0].nonceSecrets(keeping: first)
            let secrets = try await Race.run(handles) { store, task in
                try await store.nonceSecrets(
                    replacingAfter: .seconds(100),
                    with: DPoPNonceSecret(number: 0, bytes: Sample.hash("\(task)").bytes),
                    starting: Sample.epoch("\(task)"),
                    at: Sample.now + .seconds(100)
                ).secrets
            }
            #expect(Set(secrets).count == 1)
            #expect(secrets.first?.map(\.number) == [2, 1])
        },
    ]
}

extension NonceSecretStore {
    /// The current secrets, none of which is old.
    package func nonceSecrets(keeping proposed: DPoPNonceSecret) async throws -> [DPoPNonceSecret] {
        try await nonceSecrets(
            replacingAfter: .seconds(1),
            with: proposed,
            starting: Sample.epoch("a"),
            at: Sample.now
        ).secrets
    }
}
