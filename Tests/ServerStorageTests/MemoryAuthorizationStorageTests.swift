// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import JOSE
import OAuthSystem
import ServerStorage
import StorageSuite
import Testing

@Suite("Storage in memory")
struct MemoryAuthorizationStorageTests {
    @Test(arguments: StorageCase.all)
    func `does what every driver must`(_ storageCase: StorageCase) async throws {
        try await storageCase.run(
            StorageDriver { body in try await body([MemoryAuthorizationStorage()]) }
        )
    }

    @Test func `lists accounts by user name, in the order of the bytes`() {
        let store = MemoryAuthorizationStorage()
        #expect(store.users().isEmpty)
        for (index, name) in ["b", "a-2", "a"].enumerated() {
            #expect(store.add(Sample.user(name, subject: "s-\(index)")))
        }
        #expect(store.users().map(\.username) == ["a", "a-2", "b"])
    }

    @Test func `refuses proofs of a key that has used up its share, and no other's`() async throws {
        let store = MemoryAuthorizationStorage(replayCapacityPerKey: 2)
        let end = Sample.now + .seconds(300)
        for jti in ["1", "2"] {
            #expect(try await store.insert(Sample.replayKey(jti), until: end, now: Sample.now) == .inserted)
        }
        #expect(try await store.insert(Sample.replayKey("3"), until: end, now: Sample.now) == .full)
        let other = try Sample.replayKey("3", owner: "other")
        #expect(try await store.insert(other, until: end, now: Sample.now) == .inserted)
    }

    @Test func `clients that no operator registered fill their own pool only`() async throws {
        let store = MemoryAuthorizationStorage(replayCapacity: 2)
        let end = Sample.now + .seconds(300)
        func insert(_ jti: String, in pool: SingleUseEntry.Pool) async throws -> ReplayInsertion {
            try await store.insert(Sample.replayKey(jti, owner: jti), in: pool, until: end, now: Sample.now)
        }
        for jti in ["1", "2"] {
            #expect(try await insert(jti, in: .assertionsOfUnregisteredClients) == .inserted)
        }
        #expect(try await insert("3", in: .assertionsOfUnregisteredClients) == .full)
        #expect(try await insert("4", in: .assertions) == .inserted)
        #expect(try await insert("5", in: .loginResponses) == .inserted)
    }
}
