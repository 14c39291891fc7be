// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import StorageSuite
import Synchronization
import Testing

@testable import OAuthStorage

@Suite("Storage in SQLite: versions of the schema")
struct SQLiteSchemaTests {
    private static let first = SQLiteSchema(
        applicationID: 77,
        migrations: [["CREATE TABLE a (value INTEGER) STRICT", "INSERT INTO a VALUES (1)"]]
    )
    private static let second = SQLiteSchema(
        applicationID: 77,
        migrations: first.migrations + [["ALTER TABLE a ADD COLUMN more INTEGER", "UPDATE a SET more = value + 1"]]
    )

    @Test func `an empty file gets every version, once`() async throws {
        try await withConnection { connection, _ in
            for _ in 1...2 {
                try Self.second.migrate(connection)
                #expect(try Self.second.check(connection) == 2)
                #expect(try Self.integers("SELECT more FROM a", connection) == [2])
            }
        }
    }

    @Test func `a database of an earlier version gets what is new and keeps what it holds`() async throws {
        try await withConnection { connection, _ in
            try Self.first.migrate(connection)
            try connection.run("INSERT INTO a VALUES (10)")
            try Self.second.migrate(connection)
            #expect(try Self.integers("SELECT more FROM a ORDER BY value", connection) == [2, 11])
        }
    }

    @Test func `a migration that fails leaves the version before`() async throws {
        var broken = Self.second
        broken.migrations[1].append("INSERT INTO missing VALUES (1)")
        try await withConnection { connection, _ in
            try Self.first.migrate(connection)
            #expect(throws: StorageError.self) { try broken.migrate(connection) }
            #expect(try Self.first.check(connection) == 1)
            #expect(try Self.integers("SELECT * FROM a", connection) == [1])
            try Self.second.migrate(connection)
        }
    }

    @Test func `who looks while another process makes the database never takes it for a stranger's`() async throws {
        for _ in 0..<20 {
            try await withConnection { first, path in
                try first.run("PRAGMA journal_mode = WAL")
                let failures = Mutex<[any Error]>([])
                DispatchQueue.concurrentPerform(iterations: 4) { index in
                    do {
                        let connection = try SQLiteConnection(path: path, access: .readAndWrite, busyTimeout: 10_000)
                        if index == 3 { try Self.second.migrate(connection) }
                        for _ in 0..<200 { _ = try Self.second.check(connection) }
                    } catch {
                        failures.withLock { $0.append(error) }
                    }
                }
                #expect(failures.withLock { $0 }.isEmpty)
                #expect(try Self.second.check(first) == 2)
            }
        }
    }

    @Test func `a database of a newer version is refused and left alone`() async throws {
        try await TemporaryDatabase.withStore { database, store async throws in
            await store.close()
            do {
                let connection = try SQLiteConnection(path: database.path, access: .readAndWrite, busyTimeout: 0)
                try connection.run("PRAGMA user_version = 1000")
            }
            let before = try database.contents()
            let error = await #expect(throws: StorageError.self) {
                try await SQLiteAuthorizationStorage(path: database.path)
            }
            #expect(error?.code == .schemaTooNew)
            #expect(error?.reason.contains("1000") == true)
            #expect(try database.contents() == before)
        }
    }

    @Test func `the released schema has the version that its migrations make`() async throws {
        try await withConnection { connection, _ in
            try SQLiteSchema.authorization.migrate(connection)
            #expect(try Self.integers("PRAGMA user_version", connection) == [1])
            #expect(try Self.integers("PRAGMA application_id", connection) == [0x4B62_6E64])
        }
    }

    @Test func `every connection has the settings that durability and safety rest on`() async throws {
        try await TemporaryDatabase.withStore { _, store async throws in
            let written = try await store.writer.write { connection throws(StorageError) in
                try Self.integers("PRAGMA synchronous", connection) + Self.integers("PRAGMA foreign_keys", connection)
                    + Self.integers("PRAGMA trusted_schema", connection)
            }
            #expect(written == [2, 1, 0])
            let read = try await store.reader.perform { connection throws(StorageError) in
                try Self.integers("PRAGMA trusted_schema", connection)
            }
            #expect(read == [0])
            await #expect(throws: StorageError.self) {
                try await store.reader.perform { connection throws(StorageError) in
                    try connection.run("DELETE FROM grants")
                }
            }
        }
    }

    private func withConnection(_ body: (SQLiteConnection, String) throws -> Void) async throws {
        try await TemporaryDatabase.withPath { database async throws in
            try Data().write(to: URL(fileURLWithPath: database.path))
            let connection = try SQLiteConnection(path: database.path, access: .readAndWrite, busyTimeout: 0)
            try body(connection, database.path)
        }
    }

    private static func integers(_ sql: SQL, _ connection: SQLiteConnection) throws(StorageError) -> [Int64] {
        try connection.rows(sql) { row throws(StorageError) in try row.integer(0) }
    }
}
