// SPDX-License-Identifier: Apache-2.0

public import StrictJSON

/// Keeps what an app learned of MCP servers between its starts: which authorization server is used, as which client.
///
/// A record may contain the secret of a registration: keep it like tokens.
public protocol MCPStateStore: Sendable {
    /// The record with a key.
    ///
    /// - Parameter key: A text of any length.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: Any error, which becomes ``OAuthClientError/Code/storageFailed``.
    func record(_ key: String) async throws -> JSONObject?

    /// Stores a record, or replaces it.
    ///
    /// - Parameters:
    ///   - record: The record; `nil` deletes it.
    ///   - key: Its key.
    /// - Throws: Any error, which becomes ``OAuthClientError/Code/storageFailed``.
    func save(_ record: JSONObject?, for key: String) async throws

    /// Changes a record in one step: nobody else writes it between the reading and the writing.
    ///
    /// - Parameters:
    ///   - key: Its key.
    ///   - change: Gets the record, `nil` if there is none, and returns what to store; `nil` deletes it.
    /// - Throws: What `change` throws, and any error, which becomes ``OAuthClientError/Code/storageFailed``; the old record is
    ///   kept.
    func updateRecord(
        _ key: String,
        _ change: @escaping @Sendable (JSONObject?) throws -> JSONObject?
    ) async throws
}

extension MCPStateStore {
    /// Reads, then writes: for a store that only one ``MCPAuthorization`` uses.
    ///
    /// Those of several MCP servers at one authorization server share a registration, and note in its record that they need it.
    /// A store that they share must do both in one step, together with ``save(_:for:)``.
    ///
    /// - Parameters:
    ///   - key: The key of the record.
    ///   - change: Gets the record, and returns what to store.
    /// - Throws: What `change` throws, or an error of the store.
    public func updateRecord(
        _ key: String,
        _ change: @escaping @Sendable (JSONObject?) throws -> JSONObject?
    ) async throws {
        let stored = try await record(key)
        let new = try change(stored)
        guard new != stored else { return }
        try await save(new, for: key)
    }
}
