// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import Foundation
import ServerStorage
import StorageSuite
import Testing

@testable import SQLiteStorage

@Suite("Storage in SQLite: what was answered survives")
struct SQLiteDurabilityTests {
    @Test func `everything is there after closing and opening again`() async throws {
        try await TemporaryDatabase.withStore { database, store async throws in
            #expect(try await store.add(Sample.client()))
            #expect(try await store.add(Sample.user("alice", subject: "s-1")))
            try await store.start(Sample.session("a"), replacing: nil)
            try await store.add(Sample.request("open", thumbprint: Sample.thumbprint("key")))
            try await store.signInForToken("a")
            await store.close()

            let again = try await SQLiteAuthorizationStorage(path: database.path)
            #expect(try await again.client(Sample.clientID) == Sample.client())
            #expect(try await again.user(subject: "s-1") == Sample.user("alice", subject: "s-1"))
            #expect(try await again.session(Sample.hash("a"), at: Sample.now) == Sample.session("a"))
            let request = try await again.authorizationRequest(Sample.hash("request open"), at: Sample.now)
            #expect(try request == Sample.request("open", thumbprint: Sample.thumbprint("key")))
            #expect(try await again.rotate("a 0", to: "a 1", grant: "a") == .rotated)
            #expect(try await again.redeem(Sample.codeSecret("a"), issuing: nil, at: Sample.now) == .replayed)
            await again.close()
        }
    }

    @Test func `what was answered is in the files at once, without closing`() async throws {
        try await TemporaryDatabase.withStore { database, store async throws in
            try await store.signInForToken("a")
            #expect(try await store.rotate("a 0", to: "a 1", grant: "a") == .rotated)
            #expect(try await store.insert(Sample.replayKey("1"), until: Sample.now, now: Sample.now) == .inserted)
            try await Self.withCrash(of: database) { survivor async throws in
                #expect(
                    try await survivor.insert(Sample.replayKey("1"), until: Sample.now, now: Sample.now) == .replayed
                )
                #expect(try await survivor.rotate("a 0", to: "a 2", grant: "a") == .reused)
                #expect(try await !survivor.isInForce("a"))
            }
        }
    }

    @Test func `a log that breaks off anywhere leaves each operation done or not begun`() async throws {
        try await TemporaryDatabase.withStore { database, store async throws in
            try await store.signIn("a")
            let before = try database.contents(of: "keybound.sqlite-wal").count
            let token = try Sample.token("a 0", grant: "a")
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: token, at: Sample.now) == .first)
            let after = try database.contents(of: "keybound.sqlite-wal").count
            #expect(after > before)

            var seen: Set<Bool> = []
            for length in Set(
                [before, before + 1, after - 1, after] + Array(stride(from: before, to: after, by: 2060))
            ) {
                try await Self.withCrash(of: database, afterBytes: length) { survivor async throws in
                    let isStored = try await survivor.refreshToken(Sample.tokenSecret("a 0")) != nil
                    let second = try await survivor.redeem(Sample.codeSecret("a"), issuing: nil, at: Sample.now)
                    #expect(second == (isStored ? .replayed : .first))
                    seen.insert(isStored)
                }
            }
            #expect(seen == [true, false])
        }
    }

    @Test func `a store that is let go without closing loses nothing`() async throws {
        try await TemporaryDatabase.withPath { database async throws in
            do {
                let store = try await SQLiteAuthorizationStorage(path: database.path)
                #expect(try await store.add(Sample.client()))
            }
            let again = try await SQLiteAuthorizationStorage(path: database.path)
            #expect(try await again.clients().count == 1)
            await again.close()
        }
    }

    @Test func `operations that were begun before closing are answered`() async throws {
        try await TemporaryDatabase.withStore { database, store async throws in
            async let first = store.add(Sample.client("1"))
            async let second = store.add(Sample.client("2"))
            _ = try await (first, second)
            let late = (3..<64).map { index in Task { try await store.add(Sample.client("\(index)")) } }
            await store.close()
            var answered = 2
            for task in late {
                switch await task.result {
                case .success(let isAdded): answered += isAdded ? 1 : 0
                case .failure(let error): #expect((error as? StorageError)?.code == .closed)
                }
            }
            let again = try await SQLiteAuthorizationStorage(path: database.path)
            #expect(try await again.clients().count == answered)
            await again.close()
        }
    }

    /// Opens the files as a crash would leave them: copied while the store is open, the log cut off.
    private static func withCrash(
        of database: TemporaryDatabase,
        afterBytes length: Int? = nil,
        _ body: (SQLiteAuthorizationStorage) async throws -> Void
    ) async throws {
        try await TemporaryDatabase.withPath { copy in
            try database.contents().writePrivately(to: copy.path)
            let log = try database.contents(of: "keybound.sqlite-wal")
            try log.prefix(length ?? log.count).writePrivately(to: copy.path + "-wal")
            let survivor = try await SQLiteAuthorizationStorage(path: copy.path)
            try await body(survivor)
            let check = try await survivor.writer.write { connection throws(StorageError) in
                try connection.rows("PRAGMA integrity_check") { row throws(StorageError) in try row.text(0) }
            }
            #expect(check == ["ok"])
            await survivor.close()
        }
    }
}
