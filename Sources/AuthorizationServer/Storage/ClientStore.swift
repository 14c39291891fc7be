// SPDX-License-Identifier: Apache-2.0

/// Where clients are kept.
public protocol ClientStore: Sendable {
    /// The client of an identifier, compared byte by byte.
    ///
    /// - Parameter clientID: `client_id`.
    /// - Returns: The client; `nil` when there is none.
    /// - Throws: An error of the driver.
    func client(_ clientID: String) async throws -> RegisteredClient?

    /// Stores a new client.
    ///
    /// - Parameter client: The client.
    /// - Returns: `false`, and nothing is stored, when its identifier is taken.
    /// - Throws: An error of the driver.
    func add(_ client: RegisteredClient) async throws -> Bool

    /// Lists the clients.
    ///
    /// - Returns: All clients, in the order of their identifiers.
    /// - Throws: An error of the driver.
    func clients() async throws -> [RegisteredClient]
}
