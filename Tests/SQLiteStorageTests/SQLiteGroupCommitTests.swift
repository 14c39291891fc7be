// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import Dispatch
import Foundation
import ServerStorage
import StorageSuite
import Synchronization
import Testing

@testable import SQLiteStorage

@Suite("Storage in SQLite: group commit")
struct SQLiteGroupCommitTests {
    @Test func `256 operations at once all succeed, in far fewer transactions`() async throws {
        try await TemporaryDatabase.withStore { database, store async throws in
            let before = try Self.commits(in: database)
            try await Self.withBusyWriter(store, until: 256) { () async throws in
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for index in 0..<256 {
                        group.addTask { try await store.add(Sample.client("client \(index)")) }
                    }
                    for try await isAdded in group { #expect(isAdded) }
                }
            }
            #expect(try await store.clients().count == 256)
            #expect(try Self.commits(in: database) - before < 128)
        }
    }

    @Test func `one operation that fails among 256 fails alone, and leaves nothing behind`() async throws {
        try await TemporaryDatabase.withStore { _, store async throws in
            let outcomes = try await Self.withBusyWriter(store, until: 256) { () async throws in
                try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
                    for index in 0..<256 {
                        group.addTask {
                            let code = await Self.code {
                                try await store.writer.write { connection throws(StorageError) in
                                    try connection.run(
                                        "INSERT INTO nonce_secrets (position, number, secret) VALUES (?, 1, x'00')",
                                        [.count(index)]
                                    )
                                    guard index == 100 else { return }
                                    try connection.run(
                                        "INSERT INTO nonce_secrets (position, number, secret) VALUES (100, 1, x'00')"
                                    )
                                }
                            }
                            return (index, code == nil)
                        }
                    }
                    return try await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
                }
            }
            #expect(outcomes.filter { !$0.value }.keys.sorted() == [100])
            let stored = try await store.reader.perform { connection throws(StorageError) in
                try connection.rows("SELECT position FROM nonce_secrets") { row throws(StorageError) in try row.count(0)
                }
            }
            #expect(Set(stored) == Set(0..<256).subtracting([100]))
        }
    }

    @Test func `an operation that is alone and fails leaves nothing behind`() async throws {
        try await TemporaryDatabase.withStore { _, store async throws in
            await #expect(throws: StorageError.self) {
                try await store.writer.write { connection throws(StorageError) in
                    try connection.run("INSERT INTO nonce_secrets (position, number, secret) VALUES (1, 1, x'00')")
                    try connection.run("INSERT INTO nonce_secrets (position, number, secret) VALUES (1, 1, x'00')")
                }
            }
            let secret = Sample.hash("1").bytes
            #expect(try await store.nonceSecrets(keeping: .init(number: 3, bytes: secret)).first?.number == 3)
        }
    }

    @Test func `an error names columns and never the value that was rejected`() async throws {
        try await TemporaryDatabase.withStore { _, store async throws in
            try await store.signIn("a")
            try await store.add(Sample.request("b"))
            var taken = try Sample.code("b")
            taken.codeHash = try Sample.codeSecret("a").hash
            let (code, grant) = (taken, try Sample.grant("b"))
            let error = await #expect(throws: StorageError.self) {
                let handle = Sample.hash("request b")
                _ = try await store.issue(code, under: grant, consuming: handle, by: .given, at: Sample.now)
            }
            #expect(error?.code == .alreadyStored)
            #expect(error?.reason.contains("codes.code_hash") == true)
            #expect(error?.reason.contains("com.example.app") == false)
        }
    }

    @Test func `a full database refuses what needs room, answers the rest, and works again with room`() async throws {
        try await TemporaryDatabase.withStore { _, store async throws in
            try await store.signInForToken("a")
            try await store.add(Sample.request("open"))
            try await Self.limitPages(of: store, "PRAGMA max_page_count = 60")
            let large = try Self.largeClient()
            #expect(await Self.code { try await store.add(large) } == .full)
            #expect(store.isAway)
            // An operation that changes no row needs no room, and proves nothing about the disk.
            #expect(try await !store.consumeAuthorizationRequest(Sample.hash("request unknown"), at: Sample.now))
            #expect(store.isAway)
            try await Self.withBusyWriter(store, until: 3) { () async throws in
                async let refused = Self.code { try await store.add(large) }
                async let spent = store.consumeAuthorizationRequest(Sample.hash("request open"), at: Sample.now)
                async let rotated = store.rotate("a 0", to: "a 1", grant: "a")
                #expect(await refused == .full)
                #expect(try await spent)
                #expect(try await rotated == .rotated)
            }
            #expect(try await store.client("large") == nil)

            try await Self.limitPages(of: store, "PRAGMA max_page_count = 10000")
            #expect(try await store.add(large))
            #expect(try await store.client("large") == large)
            #expect(!store.isAway)
        }
    }

    @Test func `the next deletion of expired records finds out that a full database has room again`() async throws {
        try await TemporaryDatabase.withStore { _, store async throws in
            try await Self.limitPages(of: store, "PRAGMA max_page_count = 60")
            let large = try Self.largeClient()
            #expect(await Self.code { try await store.add(large) } == .full)
            #expect(store.isAway)
            try await Self.limitPages(of: store, "PRAGMA max_page_count = 10000")
            #expect(store.isAway)
            #expect(try await store.deleteExpired(at: Sample.now, limit: 10) == 0)
            #expect(!store.isAway)
            let rows = try await store.reader.perform { connection throws(StorageError) in
                try connection.rows("SELECT count(*) FROM attempts") { row throws(StorageError) in try row.count(0) }
            }
            #expect(rows == [0])
        }
    }

    @Test func `a database that another process holds for long is busy, and works again afterwards`() async throws {
        try await TemporaryDatabase.withPath { database async throws in
            let store = try await SQLiteAuthorizationStorage(path: database.path, busyTimeout: .milliseconds(20))
            do {
                let other = try SQLiteConnection(path: database.path, access: .readAndWrite, busyTimeout: 0)
                try other.run("BEGIN IMMEDIATE")
                let error = await #expect(throws: StorageError.self) { try await store.add(Sample.client()) }
                #expect(error?.code == .busy)
                #expect(try await store.clients().isEmpty)
                try other.run("ROLLBACK")
            }
            #expect(try await store.add(Sample.client()))
            await store.close()
        }
    }

    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    /// Runs a function while the writer's thread waits until so many operations do, which come together in one transaction.
    private static func withBusyWriter<Result: Sendable>(
        _ store: SQLiteAuthorizationStorage,
        until count: Int,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let (gate, hasBegun) = (DispatchSemaphore(value: 0), Flag())
        async let wait: Void = store.writer.write { _ throws(StorageError) in
            hasBegun.isSet.store(true, ordering: .relaxed)
            gate.wait()
        }
        while !hasBegun.isSet.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(1)) }
        async let released: Void = Self.release(gate, when: count, waitFor: store.writer)
        let result = try await body()
        try await released
        try await wait
        return result
    }

    private static func release(_ gate: DispatchSemaphore, when count: Int, waitFor writer: SQLiteWriter) async throws {
        defer { gate.signal() }
        for _ in 0..<60_000 where writer.waitingCount < count { try await Task.sleep(for: .milliseconds(1)) }
        #expect(writer.waitingCount == count)
    }

    private static func limitPages(of store: SQLiteAuthorizationStorage, _ pragma: SQL) async throws {
        try await store.writer.write { connection throws(StorageError) in _ = try connection.run(pragma) }
    }

    /// A client that needs about a hundred pages.
    private static func largeClient() throws -> RegisteredClient {
        var client = try Sample.client("large")
        client.name = String(repeating: "x", count: 400_000)
        return client
    }

    /// How an operation fails; `nil` when it does not.
    private static func code<Value: Sendable>(
        _ operation: @Sendable () async throws -> Value
    ) async -> StorageError.Code? {
        do {
            _ = try await operation()
            return nil
        } catch {
            return (error as? StorageError)?.code
        }
    }

    /// How many transactions the log holds: frames that say how large the database is after them.
    private static func commits(in database: TemporaryDatabase) throws -> Int {
        let log = try [UInt8](database.contents(of: "keybound.sqlite-wal"))
        let frameSize = 24 + 4096
        return stride(from: 32, to: log.count - frameSize + 1, by: frameSize)
            .count { log[($0 + 4)..<($0 + 8)].contains { $0 != 0 } }
    }
}
