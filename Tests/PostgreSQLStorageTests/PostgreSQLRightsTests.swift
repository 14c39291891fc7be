// SPDX-License-Identifier: Apache-2.0

import PostgreSQLServer
import ServerStorage
import Testing

@testable import PostgreSQLStorage

@Suite("PostgreSQL: the rights of a server", .disabled(if: PostgreSQLDatabases.areLeftOut))
struct PostgreSQLRightsTests {
    @Test func `every table of the schema is named, except the one that nothing uses`() async throws {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let tables = try await PostgreSQLQuery.run(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'keybound'",
                at: text
            )
            let named = PostgreSQLRights.needed.map { $0.table }
            #expect(Set(tables) == Set(named + ["replay_counts"]))
        }
    }

    @Test func `a right that is missing is named before a request needs it`() async throws {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let address = try await PostgreSQLAddress(PostgreSQLLeastRole.address(of: text))
            try await PostgreSQLAuthorizationStorage.check(address)
            for (table, rights) in PostgreSQLRights.needed where table != "schema_version" {
                for right in rights {
                    try await PostgreSQLQuery.run("REVOKE \(right) ON keybound.\(table) FROM least", at: text)
                    await Self.expect("lacks \(right) ON keybound.\(table); run the GRANT statements") {
                        try await PostgreSQLAuthorizationStorage.check(address)
                    }
                    try await PostgreSQLQuery.run("GRANT \(right) ON keybound.\(table) TO least", at: text)
                }
            }
            // What a start does; and the rights on a table that a migration has added are missing together.
            try await PostgreSQLQuery.run("REVOKE ALL ON keybound.grants, keybound.users FROM least", at: text)
            let tables = ["keybound.grants", "keybound.users"].map { "SELECT, INSERT, UPDATE, DELETE ON \($0)" }
            await Self.expect(tables.joined(separator: ", ")) { try await PostgreSQLAuthorizationStorage(address) }
            try await PostgreSQLQuery.run("REVOKE ALL ON ALL TABLES IN SCHEMA keybound FROM least", at: text)
            try await PostgreSQLQuery.run("GRANT SELECT ON keybound.schema_version TO least", at: text)
            await Self.expect("and rights on 16 more tables") {
                try await PostgreSQLAuthorizationStorage.check(address)
            }
        }
    }

    @Test func `before the rights are granted, the version says which ones are missing`() async throws {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let address = try await PostgreSQLAddress(PostgreSQLLeastRole.address(of: text))
            try await PostgreSQLQuery.run("REVOKE SELECT ON keybound.schema_version FROM least", at: text)
            await Self.expect("lacks SELECT ON keybound.schema_version;") {
                try await PostgreSQLAuthorizationStorage.schemaVersion(address)
            }
            try await PostgreSQLQuery.run("REVOKE USAGE ON SCHEMA keybound FROM least", at: text)
            await Self.expect("lacks USAGE ON SCHEMA keybound;") {
                try await PostgreSQLAuthorizationStorage.schemaVersion(address)
            }
            await Self.expect("lacks USAGE ON SCHEMA keybound;") { try await PostgreSQLAuthorizationStorage(address) }
        }
    }

    private static func expect<Value>(_ reason: String, _ body: () async throws -> Value) async {
        let error = await #expect(throws: StorageError.self) { _ = try await body() }
        #expect(error?.code == .cannotOpen)
        #expect(error?.reason.contains(reason) == true, "\(String(describing: error)) has no \(reason)")
    }
}
