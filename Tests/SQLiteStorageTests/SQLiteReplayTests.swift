// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import JOSE
import OAuthSystem
import ServerStorage
import StorageSuite
import Testing

@testable import SQLiteStorage

@Suite("Storage in SQLite: how many proofs are remembered")
struct SQLiteReplayTests {
    private static let end = Sample.now + .seconds(60)

    @Test func `refuses proofs of a key that has used up its share, and no other's`() async throws {
        try await withStore(perKey: 2) { store async throws in
            for jti in ["1", "2"] { #expect(try await insert(jti, store) == .inserted) }
            #expect(try await insert("3", store) == .full)
            #expect(try await insert("3", store) == .full)
            #expect(try await insert("1", store) == .replayed)
            #expect(try await insert("3", owner: "other", store) == .inserted)
        }
    }

    @Test func `refuses every proof when it holds all it can, and forgets none`() async throws {
        try await withStore(all: 3) { store async throws in
            for jti in ["1", "2", "3"] { #expect(try await insert(jti, owner: "key \(jti)", store) == .inserted) }
            #expect(try await insert("4", store) == .full)
            for jti in ["1", "2", "3"] { #expect(try await insert(jti, owner: "key \(jti)", store) == .replayed) }
        }
    }

    @Test func `proofs whose end is past make room, the others do not`() async throws {
        try await withStore(all: 10, perKey: 2) { store async throws in
            for jti in ["1", "2"] { #expect(try await insert(jti, store) == .inserted) }
            #expect(try await insert("3", store, at: Self.end) == .full)
            #expect(try await insert("3", store, at: Self.end + .milliseconds(1)) == .inserted)
            #expect(try await insert("4", store, at: Self.end + .milliseconds(1)) == .inserted)
        }
    }

    @Test func `deleting what has expired counts down`() async throws {
        try await withStore(all: 2, perKey: 2) { store async throws in
            for round in 0..<3 {
                for jti in ["1", "2"] { #expect(try await insert("\(round) \(jti)", store) == .inserted) }
                #expect(try await insert("\(round) 3", store) == .full)
                #expect(try await store.deleteExpired(at: Self.end, limit: 10) == 0)
                #expect(try await store.deleteExpired(at: Self.end + .milliseconds(1), limit: 1) == 1)
                #expect(try await store.deleteExpired(at: Self.end + .milliseconds(1), limit: 10) == 1)
            }
            let counts = try await store.reader.perform { connection throws(StorageError) in
                try connection.rows("SELECT count FROM replay_counts") { row throws(StorageError) in try row.count(0) }
            }
            #expect(counts.isEmpty)
        }
    }

    @Test func `several stores on one file count together`() async throws {
        try await TemporaryDatabase.withPath { database async throws in
            let first = try await SQLiteAuthorizationStorage(path: database.path, replayCapacityPerKey: 2)
            let second = try await SQLiteAuthorizationStorage(path: database.path, replayCapacityPerKey: 2)
            #expect(try await insert("1", first) == .inserted)
            #expect(try await insert("2", second) == .inserted)
            #expect(try await insert("3", first) == .full)
            #expect(try await insert("3", second) == .full)
            await first.close()
            await second.close()
        }
    }

    @Test func `pushed requests that fill their pool leave that of tokens alone, and counts go down to nothing`()
        async throws
    {
        try await withStore(all: 2, perKey: 2) { store async throws in
            for jti in ["p1", "p2"] { #expect(try await insert(jti, in: .pushed, store) == .inserted) }
            #expect(try await insert("p3", in: .pushed, store) == .full)
            for jti in ["1", "2"] { #expect(try await insert(jti, store) == .inserted) }
            #expect(try await insert("3", store) == .full)
            #expect(try await store.deleteExpired(at: Self.end + .milliseconds(1), limit: 10) == 4)
            let counts = try await store.reader.perform { connection throws(StorageError) in
                try connection.rows("SELECT count FROM replay_counts") { row throws(StorageError) in try row.count(0) }
            }
            #expect(counts.isEmpty)
        }
    }

    @Test func `clients that no operator registered fill their own pool only, and counts go down to nothing`()
        async throws
    {
        try await withStore(all: 2, perKey: 2) { store async throws in
            for jti in ["u1", "u2"] {
                #expect(try await insert(jti, in: .assertionsOfUnregisteredClients, store) == .inserted)
            }
            #expect(try await insert("u3", in: .assertionsOfUnregisteredClients, store) == .full)
            for pool in [SingleUseEntry.Pool.assertions, .loginResponses] {
                #expect(try await insert("\(pool)", in: pool, store) == .inserted, "\(pool)")
            }
            #expect(try await store.deleteExpired(at: Self.end + .milliseconds(1), limit: 10) == 4)
            let counts = try await store.reader.perform { connection throws(StorageError) in
                try connection.rows("SELECT count FROM replay_counts") { row throws(StorageError) in try row.count(0) }
            }
            #expect(counts.isEmpty)
        }
    }

    private func insert(
        _ jti: String,
        in pool: SingleUseEntry.Pool,
        _ store: SQLiteAuthorizationStorage
    ) async throws -> ReplayInsertion {
        try await store.insert(Sample.replayKey(jti), in: pool, until: Self.end, now: Sample.now)
    }

    @Test func `much that has expired is deleted in steps, all of it`() async throws {
        try await withStore { store async throws in
            try await store.writer.write { connection throws(StorageError) in
                _ = try connection.run(
                    """
                    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
                    INSERT INTO sessions (id_hash, subject, authenticated_at, expires_at)
                    SELECT randomblob(32), 'subject', 0, n FROM numbers
                    """
                )
            }
            #expect(try await store.deleteExpired(at: Sample.now, limit: 600) == 600)
            #expect(try await store.deleteExpired(at: Sample.now, limit: 600) == 400)
        }
    }

    private func insert(
        _ jti: String,
        owner: String = "key",
        _ store: SQLiteAuthorizationStorage,
        at now: Timestamp = Sample.now
    ) async throws -> ReplayInsertion {
        let end = now > Self.end ? now + .seconds(60) : Self.end
        return try await store.insert(Sample.replayKey(jti, owner: owner), until: end, now: now)
    }

    private func withStore(
        all: Int = 1000,
        perKey: Int = 1000,
        _ body: (SQLiteAuthorizationStorage) async throws -> Void
    ) async throws {
        try await TemporaryDatabase.withPath { database async throws in
            let store = try await SQLiteAuthorizationStorage(
                path: database.path,
                replayCapacity: all,
                replayCapacityPerKey: perKey
            )
            try await body(store)
            await store.close()
        }
    }
}
