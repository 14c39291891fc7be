// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

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

    /// Gives a client a new secret; the one before stays good, and of what was before that nothing is kept.
    ///
    /// - Parameters:
    ///   - secretHash: The hash of the secret.
    ///   - clientID: `client_id`.
    /// - Returns: `false` when there is no such client.
    /// - Throws: An error of the driver.
    func addSecret(_ secretHash: SecretHash, to clientID: String) async throws -> Bool

    /// Removes a client and every consent to it, and revokes every grant that was given to it, in one step.
    ///
    /// - Parameters:
    ///   - clientID: `client_id`.
    ///   - now: The time.
    /// - Returns: `false` when there is no such client.
    /// - Throws: An error of the driver.
    func removeClient(_ clientID: String, at now: Timestamp) async throws -> Bool
}
