// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import PostgreSQLServer
import ServerStorage
import StorageSuite
import Testing

@testable import PostgreSQLStorage

@Suite("PostgreSQL: migrations beside other programs", .disabled(if: PostgreSQLDatabases.areLeftOut))
struct PostgreSQLMigrationTests {
    @Test func `a migration that waits for a dump holds up no request, and goes on after it`() async throws {
        try await PostgreSQLDatabases.shared.withDatabase { text async throws in
            let address = try PostgreSQLAddress(text)
            let store = try await PostgreSQLAuthorizationStorage(address, connections: 2)
            let current = PostgreSQLSchema.authorization
            // What changes a table takes this lock.
            let next = PostgreSQLSchema.Migration(
                statements: ["LOCK TABLE clients IN ACCESS EXCLUSIVE MODE"],
                oldestProgram: 1
            )
            let newer = PostgreSQLSchema(migrations: current.migrations + [next])
            let pools = PostgreSQLPools(address, connections: 1)

            async let dumped = PostgreSQLQuery.run(
                "BEGIN; LOCK TABLE keybound.clients IN ACCESS SHARE MODE; SELECT pg_sleep(100); COMMIT",
                at: text
            )
            for _ in 0..<500 {
                if try await Self.isRead(text) { break }
                try await Task.sleep(for: .milliseconds(20))
            }
            async let migrated = pools.slowly { connection throws(StorageError) in try newer.migrate(connection) }
            var times: [Duration] = []
            for _ in 0..<20 {
                let start = ContinuousClock.now
                #expect(try await store.client("x") == nil)
                times.append(start.duration(to: .now))
                try await Task.sleep(for: .milliseconds(100))
            }
            // A request that queues behind the migration waits for half a second, and not for the dump: after five
            // seconds it would be an error. A busy machine may hold up one of them.
            #expect(times.count { $0 >= .seconds(3) } <= 1, "\(times)")
            #expect(try await PostgreSQLAuthorizationStorage.schemaVersion(address).found == current.version)
            // On a busy machine all this may take long, so the dump ends when it is told to.
            #expect(try await PostgreSQLQuery.run(Self.endOfDump, at: text) == ["1"])
            _ = try? await dumped
            #expect(try await migrated == current.version)
            #expect(try await PostgreSQLAuthorizationStorage.schemaVersion(address).found == current.version + 1)

            await pools.close()
            await store.close()
            // For the test that gets this database next.
            try await PostgreSQLQuery.run("DROP SCHEMA keybound CASCADE", at: text)
            _ = try await PostgreSQLAuthorizationStorage.migrate(address)
        }
    }

    /// Cancels what sleeps in a transaction; its answer is how many there were.
    private static let endOfDump = """
        SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
        WHERE wait_event = 'PgSleep' AND datname = current_database()
        """

    /// Whether a transaction holds the lock of a reader.
    private static func isRead(_ address: String) async throws -> Bool {
        let count = try await PostgreSQLQuery.run(
            "SELECT count(*) FROM pg_locks WHERE relation = 'keybound.clients'::regclass AND mode = 'AccessShareLock'",
            at: address
        )
        return count != ["0"]
    }
}
#endif
