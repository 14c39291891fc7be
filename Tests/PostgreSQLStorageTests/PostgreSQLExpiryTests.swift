// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import PostgreSQLServer
import PostgreSQLStorage
import ServerStorage
import StorageSuite
import Testing

@Suite("PostgreSQL: deleting what expired", .disabled(if: PostgreSQLDatabases.areLeftOut))
struct PostgreSQLExpiryTests {
    /// For a table that had one row when its statistics were made, PostgreSQL runs a query behind `IN` for each row anew.
    @Test func `no more rows than the limit go, whatever the statistics of the tables say`() async throws {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let store = try await PostgreSQLAuthorizationStorage(PostgreSQLAddress(text))
            for label in ["a", "b", "c"] {
                try await store.signInForToken(label)
                try await store.add(Sample.request("open \(label)"))
                try await store.start(Sample.session(label), replacing: nil)
                if label == "a" { _ = try await PostgreSQLQuery.run("ANALYZE", at: text) }
            }
            let later = Sample.now + .seconds(40 * 86_400)
            for limit in [1, 2, 4] { #expect(try await store.deleteExpired(at: later, limit: limit) == limit) }
            #expect(try await store.deleteExpired(at: later, limit: 100) == 12 - 7)
            await store.close()
        }
    }
}
