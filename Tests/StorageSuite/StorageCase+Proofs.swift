// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import JOSE
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
        StorageCase("proofs with another identifier or of another key are other proofs") { store async throws in
            let end = Sample.now + .seconds(300)
            #expect(try await store.insert(Sample.replayKey("1"), until: end, now: Sample.now) == .inserted)
            #expect(try await store.insert(Sample.replayKey("2"), until: end, now: Sample.now) == .inserted)
            let other = try Sample.replayKey("1", owner: "other")
            #expect(try await store.insert(other, until: end, now: Sample.now) == .inserted)
        },
        StorageCase("a proof is remembered until its end, the last millisecond included") { store async throws in
            let end = Sample.now + .seconds(300)
            let key = try Sample.replayKey("1")
            #expect(try await store.insert(key, until: end, now: Sample.now) == .inserted)
            _ = try await store.deleteExpired(at: end, limit: 100)
            #expect(try await store.insert(Sample.replayKey("2"), until: end, now: end) == .inserted)
            #expect(try await store.insert(key, until: end, now: end) == .replayed)
        },
    ]

    static let nonces: [StorageCase] = [
        StorageCase("the first nonce secret is stored, and everyone after gets that one") { store async throws in
            let first = DPoPNonceSecret(number: 7, bytes: Sample.hash("first").bytes)
            let second = DPoPNonceSecret(number: 8, bytes: Sample.hash("second").bytes)
            #expect(try await store.nonceSecrets(keeping: first) == [first])
            #expect(try await store.nonceSecrets(keeping: second) == [first])
        }
    ]
}
