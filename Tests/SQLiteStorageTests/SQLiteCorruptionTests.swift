// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import Foundation
import ServerStorage
import StorageSuite
import Testing

@testable import SQLiteStorage

@Suite("Storage in SQLite: values that nobody wrote")
struct SQLiteCorruptionTests {
    private struct Damage: Sendable, CustomTestStringConvertible {
        let statement: SQL
        let column: String
        let read: @Sendable (SQLiteAuthorizationStorage) async throws -> Void

        var testDescription: String { column }
    }

    private static let damages: [Damage] = [
        Damage(statement: "UPDATE clients SET scope = '\"'", column: "scope") { _ = try await $0.clients() },
        Damage(statement: "UPDATE clients SET redirect_uris = '[1]'", column: "redirect_uris") {
            _ = try await $0.client(Sample.clientID)
        },
        Damage(statement: "UPDATE clients SET redirect_uris = '{'", column: "redirect_uris") {
            _ = try await $0.clients()
        },
        Damage(statement: "UPDATE clients SET dpop_bound_access_tokens = 2", column: "dpop_bound_access_tokens") {
            _ = try await $0.clients()
        },
        Damage(statement: "UPDATE clients SET name = CAST(x'ff' AS TEXT)", column: "name") {
            _ = try await $0.clients()
        },
        Damage(statement: "UPDATE authorization_requests SET request = '{}'", column: "request") {
            _ = try await $0.authorizationRequest(Sample.hash("request open"), at: Sample.now)
        },
        Damage(statement: "UPDATE authorization_requests SET request = ''", column: "request") {
            _ = try await $0.authorizationRequest(Sample.hash("request open"), at: Sample.now)
        },
        Damage(statement: "UPDATE codes SET code_challenge = 'short'", column: "code_challenge") {
            _ = try await $0.code(Sample.codeSecret("a"))
        },
        Damage(statement: "UPDATE codes SET code_challenge_method = 'plain'", column: "code_challenge") {
            _ = try await $0.code(Sample.codeSecret("a"))
        },
        Damage(statement: "UPDATE grants SET refresh_thumbprint = ''", column: "refresh_thumbprint") {
            _ = try await $0.refreshToken(Sample.tokenSecret("a 0"))
        },
        Damage(statement: "UPDATE grants SET was_unbound = -1", column: "was_unbound") {
            _ = try await $0.rotate("a 0", to: "a 1", grant: "a")
        },
        Damage(statement: "UPDATE grants SET scope = 'a  b'", column: "scope") {
            _ = try await $0.grant(Sample.grantID("a"))
        },
        Damage(statement: "UPDATE nonce_secrets SET number = 256", column: "number") {
            _ = try await $0.nonceSecrets(keeping: DPoPNonceSecret(number: 0, bytes: []))
        },
        Damage(statement: "UPDATE signing_keys SET public_key = '{}'", column: "public_key") {
            _ = try await $0.signingKeys()
        },
        Damage(statement: "UPDATE nonce_secrets SET secret = x''", column: "secret") {
            _ = try await $0.nonceSecrets(keeping: DPoPNonceSecret(number: 0, bytes: []))
        },
    ]

    @Test(arguments: damages)
    private func `a value that cannot be read is an error that names its column`(_ damage: Damage) async throws {
        try await TemporaryDatabase.withStore { _, store async throws in
            #expect(try await store.add(Sample.client()))
            try await store.add(Sample.request("open"))
            try await store.signInForToken("a")
            _ = try await store.nonceSecrets(keeping: DPoPNonceSecret(number: 0, bytes: Sample.hash("s").bytes))
            #expect(try await store.add(Sample.signingKey("a"), after: nil))
            try await damage.read(store)

            let changed = try await store.writer.write { connection throws(StorageError) in
                try connection.run(damage.statement)
            }
            #expect(changed > 0)
            let error = await #expect(throws: StorageError.self) { try await damage.read(store) }
            #expect(error?.code == .corrupted)
            #expect(error?.reason.contains(damage.column) == true)
        }
    }

    @Test func `a damaged page is an error and not the end of the process`() async throws {
        try await TemporaryDatabase.withStore { database, store async throws in
            for index in 0..<50 { #expect(try await store.add(Sample.client("client \(index)"))) }
            // The schema stays whole, however many pages it has: the damage is noticed when the table is looked at.
            let root = try await store.reader.perform { connection throws(StorageError) in
                try connection.row("SELECT rootpage FROM sqlite_schema WHERE name = 'clients'") {
                    row throws(StorageError) in try row.count(0)
                }
            }
            await store.close()
            var bytes = try database.contents()
            let page = try #require(root)
            for index in (page - 1) * 4096..<page * 4096 { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
            try bytes.write(to: URL(fileURLWithPath: database.path))

            let damaged = try await SQLiteAuthorizationStorage(path: database.path)
            let reading = await #expect(throws: StorageError.self) { try await damaged.clients() }
            #expect(reading?.code == .corrupted)
            let writing = await #expect(throws: StorageError.self) { try await damaged.add(Sample.client()) }
            #expect(writing?.code == .corrupted)
            await damaged.close()
        }
    }

    @Test func `long values come back whole`() async throws {
        try await TemporaryDatabase.withStore { _, store async throws in
            let request = try Sample.request("long", state: String(repeating: "\u{1F511}", count: 50_000))
            try await store.add(request)
            #expect(try await store.authorizationRequest(request.referenceHash, at: Sample.now) == request)
            var client = try Sample.client()
            client.name = ""
            client.redirectURIs = []
            #expect(try await store.add(client))
            #expect(try await store.clients() == [client])
        }
    }
}
