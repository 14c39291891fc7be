// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import Dispatch
import Foundation
import OAuthSystem
import ServerStorage
import StorageSuite
import StrictJSON
import Synchronization
import Testing

@testable import SQLiteStorage

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

    @Test func `a database of a newer version is rejected and left alone`() async throws {
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
            #expect(try Self.integers("PRAGMA user_version", connection) == [11])
            #expect(try Self.integers("PRAGMA application_id", connection) == [0x4B62_6E64])
        }
    }

    @Test func `a database of version 1 is brought to this version, with all but codes and tokens`() async throws {
        try await TemporaryDatabase.withPath { database async throws in
            var first = SQLiteSchema.authorization
            first.migrations.removeLast(first.migrations.count - 1)
            try Data().writePrivately(to: database.path)
            do {
                let connection = try SQLiteConnection(path: database.path, access: .readAndWrite, busyTimeout: 0)
                try first.migrate(connection)
                try connection.run(
                    """
                    INSERT INTO clients VALUES ('old', 'Old app', '["com.example.app:/cb"]', 'api:read', 1, 0, 1790000000123)
                    """
                )
                try connection.run("INSERT INTO nonce_secrets (number, secret) VALUES (9, zeroblob(32))")
                try connection.run("INSERT INTO users VALUES ('ada', 'ada', '$scrypt$x', 1790000000123)")
                try connection.run("INSERT INTO sessions VALUES (x'0102', 'ada', 1790000000123, 1790000003123)")
                try connection.run(
                    """
                    INSERT INTO grants (id, client_id, subject, scope, authenticated_at, created_at)
                    VALUES ('g', 'old', 'ada', 'api:read', 1790000000123, 1790000000123)
                    """
                )
                try connection.run(
                    """
                    INSERT INTO codes (code_hash, grant_id, client_id, redirect_uri, code_challenge,
                        code_challenge_method, expires_at)
                    VALUES (x'03', 'g', 'old', 'com.example.app:/cb', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
                        'S256', 1790000060123)
                    """
                )
            }
            let store = try await SQLiteAuthorizationStorage(path: database.path)
            let client = try #require(try await store.client("old"))
            #expect(client.redirectURIs == ["com.example.app:/cb"])
            #expect(client.idTokenSignedResponseAlgorithm == nil)
            #expect(client.postLogoutRedirectURIs.isEmpty)
            #expect(client.isPublic)
            #expect(client.grantTypes == [.authorizationCode, .refreshToken])
            let session = try #require(try await store.session(SecretHash(stored: [1, 2]), at: Sample.now))
            #expect(session.subject == "ada")
            #expect(session.requestHash == nil)
            #expect(session.authentication.reference?.hasSuffix(":PasswordProtectedTransport") == true)
            #expect(session.authentication.methods == ["pwd"])
            #expect(try await store.grant("g")?.authentication == session.authentication)
            #expect(try await store.consents(of: "ada").isEmpty)
            #expect(try await store.user(subject: "ada")?.claims.members.isEmpty == true)
            let codes = try await store.reader.perform { connection throws(StorageError) in
                try connection.rows("SELECT 1 FROM codes") { _ throws(StorageError) in true }
            }
            #expect(codes.isEmpty)
            // The grant has no token that could be used, and is kept for its last access token.
            let dayLater = Sample.now + Duration.seconds(40 * 365 * 86_400)
            _ = try await store.deleteExpired(at: dayLater, limit: 100)
            #expect(try await store.grant("g") == nil)
            let secret = DPoPNonceSecret(number: 0, bytes: Sample.hash("new").bytes)
            #expect(try await store.nonceSecrets(keeping: secret).map(\.number) == [10, 9])
            #expect(try await store.signingKeys().isEmpty)
            let new = try Sample.client("new")
            #expect(try await store.add(new))
            #expect(try await store.client("new") == new)
            await store.close()
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
            try Data().writePrivately(to: database.path)
            let connection = try SQLiteConnection(path: database.path, access: .readAndWrite, busyTimeout: 0)
            try body(connection, database.path)
        }
    }

    private static func integers(_ sql: SQL, _ connection: SQLiteConnection) throws(StorageError) -> [Int64] {
        try connection.rows(sql) { row throws(StorageError) in try row.integer(0) }
    }
}
