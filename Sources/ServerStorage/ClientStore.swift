// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A store for clients.
public protocol ClientStore: Sendable {
    /// The client with an identifier, compared byte by byte.
    ///
    /// - Parameter clientID: `client_id`.
    /// - Returns: The client; `nil` if there is none.
    /// - Throws: An error of the driver.
    func client(_ clientID: String) async throws -> RegisteredClient?

    /// Stores a new client.
    ///
    /// Again: `true` if the client is stored with the same ``RegisteredClient/registrationID``.
    ///
    /// - Parameter client: The client.
    /// - Returns: `false`, without storing it, if its identifier is taken.
    /// - Throws: An error of the driver.
    func add(_ client: RegisteredClient) async throws -> Bool

    /// Lists the clients.
    ///
    /// - Returns: All clients, in the order of their identifiers.
    /// - Throws: An error of the driver.
    func clients() async throws -> [RegisteredClient]

    /// Replaces what is registered of a client, except its secrets, ``RegisteredClient/createdAt``,
    /// ``RegisteredClient/registrationID`` and ``RegisteredClient/ownGrantRevocations``.
    ///
    /// Again: `true`, without any change.
    ///
    /// - Parameters:
    ///   - client: The client as it was read, with the changes.
    ///   - attempt: The change, which becomes ``RegisteredClient/changedBy``.
    /// - Returns: `false`, and nothing is changed, if there is no such client, or it was changed since it was read.
    /// - Throws: An error of the driver.
    func replace(_ client: RegisteredClient, by attempt: WriteAttempt) async throws -> Bool

    /// Whether scripts of a web origin may call the server for some client.
    ///
    /// - Parameter origin: The origin, compared byte by byte.
    /// - Returns: Whether it is one of ``RegisteredClient/allowedWebOrigins``.
    /// - Throws: An error of the driver.
    func isAllowed(webOrigin origin: String) async throws -> Bool

    /// Adds a new secret to a client; the previous one stays valid, and older ones are deleted.
    ///
    /// Again: `true`, without any change, if it is the newest secret.
    ///
    /// - Parameters:
    ///   - secretHash: The hash of the secret.
    ///   - clientID: `client_id`.
    /// - Returns: `false` if there is no such client.
    /// - Throws: An error of the driver.
    func addSecret(_ secretHash: SecretHash, to clientID: String) async throws -> Bool

    /// Removes a client and every consent to it, and revokes all its grants, in one step.
    ///
    /// Again: `false`; only a driver that repeats its own call can tell.
    ///
    /// - Parameters:
    ///   - clientID: `client_id`.
    ///   - now: The time.
    /// - Returns: `false` if there is no such client.
    /// - Throws: An error of the driver.
    func removeClient(_ clientID: String, at now: Timestamp) async throws -> Bool
}
