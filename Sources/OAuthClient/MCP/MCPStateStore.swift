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
}
