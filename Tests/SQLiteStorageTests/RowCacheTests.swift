// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import ServerStorage
import StorageSuite
import Testing

@testable import SQLiteStorage

/// What was parsed is used again only while its row is the same, whoever changes the row.
@Suite("Storage in SQLite: rows that were parsed before")
struct RowCacheTests {
    @Test func `a client that another store changes, removes and adds again is never stale`() async throws {
        try await Self.withTwoStores { first, second async throws in
            var client = try Sample.client()
            client.secretHashes = [Sample.hash("first secret")]
            #expect(try await first.add(client))
            for _ in 1...3 { #expect(try await second.client(client.clientID) == client) }

            #expect(try await first.addSecret(Sample.hash("second secret"), to: client.clientID))
            client.secretHashes.insert(Sample.hash("second secret"), at: 0)
            for _ in 1...3 { #expect(try await second.client(client.clientID) == client) }

            #expect(try await first.removeClient(client.clientID, at: Sample.now))
            for _ in 1...3 { #expect(try await second.client(client.clientID) == nil) }

            client.redirectURIs = ["com.example.other:/callback"]
            #expect(try await first.add(client))
            for _ in 1...3 { #expect(try await second.client(client.clientID) == client) }
        }
    }

    @Test func `each column of a client counts, also when another program changes it`() async throws {
        try await Self.withTwoStores { first, second async throws in
            let client = try Sample.client()
            #expect(try await first.add(client))
            let changes: [SQL] = [
                "UPDATE clients SET name = name || '.'",
                "UPDATE clients SET redirect_uris = '[]'",
                "UPDATE clients SET scope = 'api:other'",
                "UPDATE clients SET dpop_bound_access_tokens = 1 - dpop_bound_access_tokens",
                "UPDATE clients SET require_pushed_authorization_requests = 1 - require_pushed_authorization_requests",
                "UPDATE clients SET id_token_signed_response_alg = 'RS256'",
                "UPDATE clients SET id_token_signed_response_alg = NULL",
                "UPDATE clients SET post_logout_redirect_uris = '[\"https://other.example/\"]'",
                "UPDATE clients SET created_at = created_at + 1",
                "UPDATE clients SET token_endpoint_auth_method = 'other'",
                "UPDATE clients SET token_endpoint_auth_signing_alg = 'other'",
                "UPDATE clients SET secret_hash = x'01', previous_secret_hash = x'02'",
                "UPDATE clients SET secret_hash = NULL",
                "UPDATE clients SET jwks = '{\"keys\":[]}'",
                "UPDATE clients SET grant_types = '[\"other\"]'",
                "UPDATE clients SET introspection_audiences = '[\"other\"]'",
                "UPDATE clients SET token_exchange_rights = '[\"other\"]'",
                "UPDATE clients SET authorization_details_types = '[\"other\"]'",
                "UPDATE clients SET request_object_signing_alg = 'other'",
                "UPDATE clients SET require_signed_request_object = 1 - require_signed_request_object",
                "UPDATE clients SET dpop_bound_authorization_codes = 1 - dpop_bound_authorization_codes",
                "UPDATE clients SET dpop_nonce_policy = 'other'",
                "UPDATE clients SET registration_id = 'other'",
                "UPDATE clients SET own_grant_revocations = own_grant_revocations + 1",
            ]
            for change in changes {
                let before = try await second.client(client.clientID)
                try await first.writer.write { connection throws(StorageError) in _ = try connection.run(change) }
                let after = try await second.client(client.clientID)
                #expect(after != before, "\(change.text)")
                // The list is never remembered.
                #expect(try await second.clients() == [try #require(after)])
            }
        }
    }

    @Test func `a grant that another store revokes is not in force any more`() async throws {
        try await Self.withTwoStores { first, second async throws in
            try await first.signIn("a")
            let grant = try Sample.grant("a")
            for _ in 1...3 { #expect(try await second.grant(grant.id) == grant) }
            try await first.revokeGrant(grant.id, at: Sample.now)
            for _ in 1...3 { #expect(try await second.grant(grant.id) == nil) }
        }
    }

    @Test func `identifiers that Unicode takes for the same belong to their own rows`() async throws {
        try await Self.withTwoStores { first, second async throws in
            for clientID in ["caf\u{e9}", "cafe\u{301}"] { #expect(try await first.add(Sample.client(clientID))) }
            for clientID in ["caf\u{e9}", "cafe\u{301}", "caf\u{e9}"] {
                let found = try #require(try await second.client(clientID))
                #expect(Array(found.clientID.utf8) == Array(clientID.utf8))
            }
        }
    }

    @Test func `more clients than are remembered, and larger ones, are all found`() async throws {
        try await Self.withTwoStores { first, second async throws in
            var clients = try (0..<200).map { try Sample.client("client \($0)") }
            clients[7].redirectURIs = (0..<500).map { "com.example.app:/callback/\($0)" }
            for client in clients { #expect(try await first.add(client)) }
            for _ in 1...2 {
                for client in clients { #expect(try await second.client(client.clientID) == client) }
            }
        }
    }

    @Test func `values of every length, also of none, are stored as they are`() async throws {
        try await TemporaryDatabase.withStore { _, store async throws in
            for length in [0, 1, 15, 16, 100, 511, 512, 513, 5000, 3] {
                let (text, blob) = (String(repeating: "ö", count: length), [UInt8](repeating: 7, count: length))
                let found = try await store.reader.perform { connection throws(StorageError) in
                    try connection.row("SELECT ?, ?, ?, ?", [.text(text), .blob(blob), .null, .integer(-1)]) {
                        row throws(StorageError) in
                        (try row.text(0), try row.blob(1), row.isNull(2), try row.integer(3))
                    }
                }
                #expect(try #require(found) == (text, blob, true, -1))
            }
        }
    }

    private static func withTwoStores(
        _ body: (SQLiteAuthorizationStorage, SQLiteAuthorizationStorage) async throws -> Void
    ) async throws {
        try await TemporaryDatabase.withStore { database, first async throws in
            let second = try await SQLiteAuthorizationStorage(path: database.path)
            try await body(first, second)
            await second.close()
        }
    }
}
