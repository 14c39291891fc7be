// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
public import ServerStorage

/// Stores all data of an authorization server in a PostgreSQL database, which several servers share.
///
/// Each operation is one transaction, and returns only after the database has answered its commit; operations that wait
/// at the same time share one. The usual course of a token request is one statement, sent together with those of others.
/// If the connection is lost, the driver connects again and sends an operation that may have happened once more, with the
/// same values, so that it gets the answer of the first time. While the database is away, each operation throws ``/ServerStorage/StorageError/Code/unavailable`` after a second at most.
///
/// The database has hashes of secrets, encrypted signing keys and the secrets for nonces. All tables are in the schema
/// `keybound`.
public final class PostgreSQLAuthorizationStorage: AuthorizationStorage {
    let pool: PostgreSQLPools
    let singleUses: SingleUseCounts
    /// The settings of the database that were not on when it was opened, out of `fsync`, `full_page_writes` and
    /// `synchronous_commit`: with them a crash may lose what was answered, and a used refresh token may be valid again.
    public let lossySettings: [String]

    /// Connects to a database that ``migrate(_:)`` has prepared.
    ///
    /// - Parameters:
    ///   - address: The database.
    ///   - connections: How many connections read, and how many write; one more does what takes long. By default one for
    ///     each processor, two at least and eight at most. All but one of them work only while many operations wait.
    ///   - replayCapacity: How many proofs this server stores at once, and how many entries of each other pool; about
    ///     200 bytes each. Each server of a shared database has this limit for itself.
    ///   - replayCapacityPerKey: How many of them may belong to one key or client.
    /// - Throws: ``/ServerStorage/StorageError/Code/schemaTooNew`` and ``/ServerStorage/StorageError/Code/schemaTooOld``,
    ///   each with what to do; ``/ServerStorage/StorageError/Code/unavailable``,
    ///   ``/ServerStorage/StorageError/Code/cannotOpen`` if it is older than PostgreSQL 15, not in UTF-8, behind a pooler
    ///   that gives each transaction another connection, or if the role lacks a right that a server needs.
    public init(
        _ address: PostgreSQLAddress,
        connections: Int? = nil,
        replayCapacity: Int = 4_000_000,
        replayCapacityPerKey: Int = 50_000
    ) async throws(StorageError) {
        pool = PostgreSQLPools(address, connections: connections ?? min(max(SystemProcessors.count, 2), 8))
        singleUses = SingleUseCounts(SingleUseCapacity(granted: replayCapacity, perOwner: replayCapacityPerKey))
        do {
            lossySettings = try await pool.slowly { connection throws(StorageError) in
                try connection.refuseTransactionPooling(at: address)
                try PostgreSQLSchema.authorization.check(connection)
                return try connection.lossySettings()
            }
        } catch {
            await pool.close()
            throw error
        }
    }

    deinit {
        pool.abandon()
    }

    /// How many operations wait for the database; beyond 10000 they are rejected with
    /// ``/ServerStorage/StorageError/Code/busy``.
    public var waitingWrites: Int { pool.waitingWrites }

    /// Whether the database cannot be reached at the moment, or does not answer commits, as without its last synchronous
    /// standby.
    public var isAway: Bool { pool.isAway }

    /// Finishes all waiting operations and closes the connections.
    ///
    /// Afterwards every operation throws ``/ServerStorage/StorageError/Code/closed``.
    public func close() async {
        await pool.close()
    }

    /// Creates the tables in a database, or migrates them to the version of this program.
    ///
    /// While another program, such as a backup, uses a table, the migration tries again for up to ten minutes. Requests
    /// are served meanwhile.
    ///
    /// - Parameter address: The database, with a role that may create a schema.
    /// - Returns: The version that it had before, 0 for none, and the version that it has now.
    /// - Throws: ``/ServerStorage/StorageError/Code/schemaTooNew``, ``/ServerStorage/StorageError/Code/busy`` if a table is
    ///   in use for so long; the database is then unchanged. ``/ServerStorage/StorageError``.
    public static func migrate(_ address: PostgreSQLAddress) async throws(StorageError) -> (from: Int, to: Int) {
        let schema = PostgreSQLSchema.authorization
        do throws(StorageError) {
            let found = try await once(address) { connection throws(StorageError) in try schema.migrate(connection) }
            return (found, max(found, schema.version))
        } catch {
            throw error.code == .busy ? StorageError.tablesAreInUse : error
        }
    }

    /// The schema version of a database, and the one that this program needs.
    ///
    /// - Parameter address: The database.
    /// - Returns: The version, 0 without tables; the version of the oldest program that it allows; the version of this one.
    /// - Throws: ``/ServerStorage/StorageError``.
    public static func schemaVersion(
        _ address: PostgreSQLAddress
    ) async throws(StorageError) -> (found: Int, oldestProgram: Int, needed: Int) {
        let schema = PostgreSQLSchema.authorization
        let found = try await once(address) { connection throws(StorageError) in try schema.present(connection) }
        return (found.version, found.oldestProgram, schema.version)
    }

    /// Checks that a database has the tables of this program, and that its role has every right that a server needs.
    ///
    /// - Parameter address: The database, with the role of the servers.
    /// - Throws: What ``init(_:connections:replayCapacity:replayCapacityPerKey:)`` throws for them: the error names the rights
    ///   that are missing.
    public static func check(_ address: PostgreSQLAddress) async throws(StorageError) {
        try await once(address) { connection throws(StorageError) in
            try PostgreSQLSchema.authorization.check(connection)
        }
    }

    /// The settings of a database that are not on, and with which a crash may lose what was answered; see ``lossySettings``.
    ///
    /// - Parameter address: The database.
    /// - Returns: Their names.
    /// - Throws: ``/ServerStorage/StorageError``.
    public static func lossySettings(_ address: PostgreSQLAddress) async throws(StorageError) -> [String] {
        try await once(address) { connection throws(StorageError) in try connection.lossySettings() }
    }

    /// Carries out one operation over a connection of its own.
    private static func once<Value: Sendable>(
        _ address: PostgreSQLAddress,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        let pool = PostgreSQLPools(address, connections: 1)
        do throws(StorageError) {
            let value = try await pool.slowly(body)
            await pool.close()
            return value
        } catch {
            await pool.close()
            throw error
        }
    }
}
#endif
