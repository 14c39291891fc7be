// SPDX-License-Identifier: Apache-2.0

public import StrictJSON
import Synchronization

/// Keeps what an app learned of MCP servers until the process ends.
public final class MemoryMCPStateStore: MCPStateStore {
    private let records = Mutex<[String: JSONObject]>([:])

    /// Makes an empty store.
    public init() {}

    /// The record with a key.
    ///
    /// - Parameter key: A text of any length.
    /// - Returns: The record; `nil` if there is none.
    public func record(_ key: String) async -> JSONObject? {
        records.withLock { $0[key] }
    }

    /// Stores a record, or replaces it.
    ///
    /// - Parameters:
    ///   - record: The record; `nil` deletes it.
    ///   - key: Its key.
    public func save(_ record: JSONObject?, for key: String) async {
        records.withLock { $0[key] = record }
    }

    /// Changes a record in one step.
    ///
    /// - Parameters:
    ///   - key: A text of any length.
    ///   - change: Gets the record, `nil` if there is none, and returns what to store; `nil` deletes it.
    /// - Throws: What `change` throws.
    public func updateRecord(
        _ key: String,
        _ change: @escaping @Sendable (JSONObject?) throws -> JSONObject?
    ) async throws {
        try records.withLock { records in
            records[key] = try change(records[key])
        }
    }
}
