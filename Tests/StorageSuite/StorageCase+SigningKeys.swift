// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthSystem
import ServerStorage
import SigningKeys
import Testing

extension StorageCase {
    static let signingKeys: [StorageCase] = signingKeyRecords + signingKeyChanges + signingKeyRaces + resealedKeys

    private static let signingKeyRecords: [StorageCase] = [
        StorageCase("a signing key is found as it was stored, in the order of use") { store async throws in
            let second = try Sample.signingKey("b", activeFrom: Sample.now + .seconds(10))
            let first = try Sample.signingKey("a")
            #expect(try await store.signingKeys().isEmpty)
            #expect(try await store.add(first, after: nil))
            #expect(try await store.add(second, after: "a"))
            #expect(try await store.signingKeys() == [first, second])
        },
        StorageCase("a signing key is stored after the last of its algorithm, or not at all") { store async throws in
            let later = Sample.now + .seconds(10)
            #expect(try await !store.add(Sample.signingKey("a"), after: "a"))
            #expect(try await store.add(Sample.signingKey("a"), after: nil))
            #expect(try await !store.add(Sample.signingKey("b", activeFrom: later), after: nil))
            #expect(try await store.add(Sample.signingKey("b", activeFrom: later), after: "a"))
            #expect(try await !store.add(Sample.signingKey("c", activeFrom: later), after: "a"))
            #expect(try await !store.add(Sample.signingKey("a", activeFrom: later), after: "b"))
            #expect(try await store.add(Sample.signingKey("r", algorithm: .rs256), after: nil))
            #expect(try await store.signingKeys().map(\.keyID).sorted() == ["a", "b", "r"])
        },
    ]

    private static let signingKeyChanges: [StorageCase] = [
        StorageCase("a signing key can be activated earlier, and never later") { store async throws in
            let planned = Sample.now + .seconds(100)
            _ = try await store.add(Sample.signingKey("a", activeFrom: planned), after: nil)
            #expect(try await store.activateSigningKey("a", at: Sample.now))
            #expect(try await store.activateSigningKey("a", at: planned))
            #expect(try await !store.activateSigningKey("A", at: Sample.now))
            #expect(try await store.signingKeys().map(\.activeFrom) == [Sample.now])
        },
        StorageCase("revoking deletes the private keys of one algorithm, and stores a new key") {
            store async throws in
            let other = try Sample.signingKey("r", algorithm: .rs256)
            let new = try Sample.signingKey("new", activeFrom: Sample.now + .seconds(9))
            _ = try await store.add(Sample.signingKey("a"), after: nil)
            _ = try await store.add(other, after: nil)
            try await store.revokeSigningKeys(replacingWith: new, at: Sample.now + .seconds(9))
            let keys = try await store.signingKeys()
            #expect(keys.contains(other) && keys.contains(new) && keys.count == 3)
            let revoked = try #require(keys.first { $0.keyID == "a" })
            #expect(revoked.wrappedKey == .forgotten)
            #expect(revoked.revokedAt == Sample.now + .seconds(9))
            #expect(try await !store.activateSigningKey("a", at: Sample.now))
            // A revoked key has no successor, so a process that missed the revocation cannot add a key.
            #expect(try await !store.add(Sample.signingKey("b"), after: "a"))
            var taken = new
            taken.activeFrom = Sample.now + .seconds(1)
            await expectAlreadyStored { [taken] in
                try await store.revokeSigningKeys(replacingWith: taken, at: Sample.now)
            }
            #expect(try await store.signingKeys() == keys)
        },
        StorageCase("the token lifetime of keys is raised, and never lowered") { store async throws in
            _ = try await store.add(Sample.signingKey("a"), after: nil)
            try await store.raiseTokenLifetime(ofSigningKeys: .seconds(1))
            #expect(try await store.signingKeys().map(\.tokenLifetime) == [.seconds(300)])
            try await store.raiseTokenLifetime(ofSigningKeys: .seconds(301))
            #expect(try await store.signingKeys().map(\.tokenLifetime) == [.seconds(301)])
        },
        StorageCase("signing keys are deleted by name") { store async throws in
            _ = try await store.add(Sample.signingKey("a"), after: nil)
            _ = try await store.add(Sample.signingKey("r", algorithm: .rs256), after: nil)
            try await store.deleteSigningKeys(["a", "none"])
            #expect(try await store.signingKeys().map(\.keyID) == ["r"])
        },
    ]

    private static let signingKeyRaces: [StorageCase] = [
        StorageCase(race: "of 64 processes that make the next signing key, one wins") { handles async throws in
            _ = try await handles[0].add(Sample.signingKey("first"), after: nil)
            let later = Sample.now + .seconds(10)
            let outcomes = try await Race.run(handles) { store, task in
                try await store.add(Sample.signingKey("next \(task)", activeFrom: later), after: "first")
            }
            #expect(outcomes.count(of: true) == 1)
            let winner = try #require(outcomes.firstIndex(of: true))
            for store in handles { #expect(try await store.signingKeys().map(\.keyID) == ["first", "next \(winner)"]) }
        },
        StorageCase(race: "a process that makes the next key while all are revoked adds none") { handles async throws in
            _ = try await handles[0].add(Sample.signingKey("first"), after: nil)
            let later = Sample.now + .seconds(10)
            _ = try await Race.run(handles) { store, task in
                if task == 20 {
                    try await store.revokeSigningKeys(
                        replacingWith: Sample.signingKey("new", activeFrom: later),
                        at: Sample.now
                    )
                } else {
                    _ = try await store.add(Sample.signingKey("next \(task)", activeFrom: later), after: "first")
                }
            }
            let usable = try await handles[0].signingKeys().filter { $0.revokedAt == nil }
            #expect(usable.map(\.keyID) == ["new"])
        },
    ]
}
