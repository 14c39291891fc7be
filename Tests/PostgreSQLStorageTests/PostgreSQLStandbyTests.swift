// SPDX-License-Identifier: Apache-2.0

import PostgreSQLServer
import PostgreSQLStorage
import ServerStorage
import StorageSuite
import Testing

@Suite("PostgreSQL: without a standby, and without further connections", .disabled(if: PostgreSQLDatabases.areLeftOut))
struct PostgreSQLStandbyTests {
    @Test func `without its standby the database is reported as away until a commit is answered`() async throws {
        let server = try await PostgreSQLServer()
        try await server.start()
        let (postgres, text) = (server.address(of: "postgres"), server.address(of: "keybound"))
        try await PostgreSQLQuery.run("CREATE DATABASE keybound", at: postgres)
        let address = try PostgreSQLAddress(text)
        _ = try await PostgreSQLAuthorizationStorage.migrate(address)
        let store = try await PostgreSQLAuthorizationStorage(address, connections: 2)
        #expect(try await store.add(Sample.client("first")))

        try await PostgreSQLQuery.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", at: postgres)
        try await PostgreSQLQuery.run("SELECT pg_reload_conf()", at: postgres)
        // The server reads its settings a moment later.
        var unanswered: (codes: Set<StorageError.Code>, time: Duration) = ([], .zero)
        for round in 0..<100 where unanswered.codes.isEmpty { unanswered = await Self.addMany(to: store, round) }
        // One commit carries them all, and none of them is tried by itself after it.
        #expect(!unanswered.codes.isEmpty && unanswered.codes.isSubset(of: [.outcomeUnknown, .unavailable, .busy]))
        #expect(unanswered.time < .seconds(25))
        #expect(store.isAway)

        // Connections open, and reads work; neither means that a change would be stored.
        #expect(try await store.client("first") != nil)
        try await Task.sleep(for: .milliseconds(1500))
        #expect(store.isAway)
        let rejected = await Self.addMany(to: store, 100)
        #expect(rejected.codes == [.unavailable])
        // At once: a commit is waited for five seconds.
        #expect(rejected.time < .milliseconds(4900))
        #expect(try await store.client("first") != nil)
        #expect(store.isAway)
        // The server keeps a process for each commit that waits, so their number must not grow.
        #expect(try await Self.waitingProcesses(text) <= 2)
        try await Task.sleep(for: .seconds(6))
        #expect(try await Self.waitingProcesses(text) <= 2)

        try await PostgreSQLQuery.run("ALTER SYSTEM RESET synchronous_standby_names", at: postgres)
        try await PostgreSQLQuery.run("SELECT pg_reload_conf()", at: postgres)
        for _ in 0..<1200 where store.isAway { try await Task.sleep(for: .milliseconds(50)) }
        #expect(!store.isAway)
        #expect(try await store.add(Sample.client("last")))
        await store.close()
        await server.remove()
    }

    @Test func `a server that allows no further connection is used over the open ones`() async throws {
        let server = try await PostgreSQLServer()
        try await server.start()
        let (postgres, text) = (server.address(of: "postgres"), server.address(of: "keybound"))
        try await PostgreSQLQuery.run("CREATE DATABASE keybound", at: postgres)
        _ = try await PostgreSQLAuthorizationStorage.migrate(PostgreSQLAddress(text))
        // A superuser would be let in beyond the limit.
        try await PostgreSQLQuery.run(
            """
            CREATE ROLE node LOGIN; GRANT USAGE ON SCHEMA keybound TO node;
            GRANT ALL ON ALL TABLES IN SCHEMA keybound TO node
            """,
            at: text
        )
        let node = "postgresql://node@/keybound?host=\(server.directory)"
        let store = try await PostgreSQLAuthorizationStorage(PostgreSQLAddress(node), connections: 4)
        // One connection of each kind.
        #expect(try await store.add(Sample.client("first")))
        #expect(try await store.client("first") != nil)
        try await PostgreSQLQuery.run("ALTER DATABASE keybound CONNECTION LIMIT 0", at: postgres)

        // So many at once that each thread of the pool is woken, and wants a connection of its own.
        for round in 0..<20 {
            let outcome = await Self.addMany(to: store, round)
            #expect(outcome.codes.isEmpty)
            #expect(!store.isAway)
        }
        // A superuser counts them: were the store's connection for reading lost, it could open no other.
        let count = try await PostgreSQLQuery.run("SELECT count(*) FROM keybound.clients", at: text)
        #expect(count == ["\(20 * Self.many + 1)"])
        await store.close()
        await server.remove()
    }

    private static let many = 100

    /// Adds many clients at once.
    ///
    /// - Returns: The errors, and how long all of it took.
    private static func addMany(
        to store: PostgreSQLAuthorizationStorage,
        _ round: Int
    ) async -> (codes: Set<StorageError.Code>, time: Duration) {
        let start = ContinuousClock.now
        let codes = await withTaskGroup(of: StorageError.Code?.self) { group in
            for index in 0..<many {
                group.addTask {
                    do {
                        _ = try await store.add(Sample.client("\(round) \(index)"))
                        return nil
                    } catch {
                        return (error as? StorageError)?.code
                    }
                }
            }
            var codes: Set<StorageError.Code> = []
            for await code in group {
                if let code { codes.insert(code) }
            }
            return codes
        }
        return (codes, start.duration(to: .now))
    }

    /// How many processes of a server wait for a standby.
    private static func waitingProcesses(_ address: String) async throws -> Int {
        let count = try await PostgreSQLQuery.run(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
            at: address
        )
        return Int(count.first ?? "") ?? 0
    }
}
