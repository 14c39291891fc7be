// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import PostgreSQLStorage

/// Empty databases for tests, in one server for the whole test process.
public actor PostgreSQLDatabases {
    /// The databases of this process.
    public static let shared = PostgreSQLDatabases()

    /// Whether tests with PostgreSQL are left out by name, with `KEYBOUND_WITHOUT=postgres`.
    public static let areLeftOut =
        (ProcessInfo.processInfo.environment["KEYBOUND_WITHOUT"] ?? "").split(separator: ",").contains("postgres")

    /// How many are used at once: each store has up to five connections.
    private static let limit = 12

    private var server: Task<PostgreSQLServer, any Error>?
    private var free: [String] = []
    private var used = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var made = 0

    /// Runs a test with a database that has all tables and no rows.
    ///
    /// - Parameter body: The test; it gets the address.
    /// - Returns: What the test returned.
    /// - Throws: What the test threw, or a failure of the server.
    public func withDatabase<Result: Sendable>(
        _ body: @Sendable (_ address: String) async throws -> Result
    ) async throws -> Result {
        while used >= Self.limit { await withCheckedContinuation { waiting.append($0) } }
        used += 1
        defer {
            used -= 1
            if !waiting.isEmpty { waiting.removeFirst().resume() }
        }
        let server = try await running()
        let address = try await nextDatabase(of: server)
        let result = try await body(address)
        free.append(address)
        return result
    }

    private func running() async throws -> PostgreSQLServer {
        if server == nil {
            server = Task {
                let server = try await PostgreSQLServer()
                try await server.start()
                return server
            }
        }
        guard let server else { throw PostgreSQLServer.Failure(description: "no server") }
        return try await server.value
    }

    /// An empty database: a new one, or one that an earlier test has used, without its rows and settings.
    private func nextDatabase(of server: PostgreSQLServer) async throws -> String {
        if let address = free.popLast() {
            try await PostgreSQLQuery.run(Self.empty, at: address)
            return address
        }
        made += 1
        let name = "test\(made)"
        try await PostgreSQLQuery.run(
            "CREATE DATABASE \(name) STRATEGY = file_copy",
            at: server.address(of: "postgres")
        )
        let address = server.address(of: name)
        _ = try await PostgreSQLAuthorizationStorage.migrate(PostgreSQLAddress(address))
        return address
    }

    private static let empty = """
        DO $$ DECLARE name text; BEGIN
            FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'keybound' AND tablename <> 'schema_version' LOOP
                EXECUTE 'DELETE FROM keybound.' || name;
            END LOOP;
            EXECUTE format('ALTER DATABASE %I RESET ALL', current_database());
        END $$
        """
}
#endif
