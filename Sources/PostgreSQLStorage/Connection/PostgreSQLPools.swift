// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage

/// The connections of a store: to read, to write, and for what takes long.
struct PostgreSQLPools: Sendable {
    private let reading: PostgreSQLPool
    private let writing: PostgreSQLPool
    private let slow: PostgreSQLPool

    init(_ address: PostgreSQLAddress, connections: Int) {
        reading = PostgreSQLPool(address, for: .reading, connections: connections, batchSize: 64, timeout: .seconds(5))
        writing = PostgreSQLPool(address, for: .writing, connections: connections, batchSize: 64, timeout: .seconds(5))
        slow = PostgreSQLPool(address, for: .slow, connections: 1, batchSize: 1, timeout: .seconds(600), capacity: 100)
    }

    /// Reads of one moment.
    func read<Value: Sendable>(
        _ plan: PostgreSQLPlan<Value>? = nil,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        try await reading.perform(plan, body)
    }

    /// Changes something, or nothing.
    func write<Value: Sendable>(
        _ plan: PostgreSQLPlan<Value>? = nil,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        try await writing.perform(plan, body)
    }

    /// Changes many rows, or nothing; other operations go on.
    func slowly<Value: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        try await slow.perform(nil, body)
    }

    var waitingWrites: Int { writing.waitingCount }
    /// Whether requests cannot be served.
    ///
    /// The slow operations may fail on their own: they have one connection, which the server may refuse while it still
    /// serves the others.
    var isAway: Bool { reading.isAway || writing.isAway || (slow.isAway && !writing.isConnected) }

    func close() async {
        for pool in [reading, writing, slow] { await pool.close() }
    }

    func abandon() {
        for pool in [reading, writing, slow] { pool.abandon() }
    }
}
#endif
