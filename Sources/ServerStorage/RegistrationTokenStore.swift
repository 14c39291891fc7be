// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A store for initial access tokens (RFC 7591 section 1.2).
public protocol RegistrationTokenStore: Sendable {
    /// Stores a new token.
    ///
    /// Again: nothing happens if the same token is stored.
    ///
    /// - Parameter token: The token.
    /// - Throws: An error of the driver; also if another token with that hash is stored.
    func add(_ token: StoredRegistrationToken) async throws

    /// What a client may register itself for with a token.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: `nil` if the token is unknown, expired or has no uses left.
    /// - Throws: An error of the driver.
    func registrationPolicy(
        of tokenHash: SecretHash,
        at now: Timestamp
    ) async throws -> RegistrationTokenPolicy?

    /// Stores a new client and uses the token once, in one step.
    ///
    /// If several callers race, as many win as the token has uses left. Again: ``ClientRegistrationOutcome/registered`` if
    /// the client is stored with the same ``RegisteredClient/registrationID``.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: An error of the driver.
    func register(
        _ client: RegisteredClient,
        with tokenHash: SecretHash,
        at now: Timestamp
    ) async throws -> ClientRegistrationOutcome

    /// Lists the tokens with which clients can still register.
    ///
    /// - Parameter now: The time.
    /// - Returns: The tokens that have uses left and are not expired; those that expire first come first.
    /// - Throws: An error of the driver.
    func registrationTokens(at now: Timestamp) async throws -> [StoredRegistrationToken]

    /// Removes a token, in one step: no client can register with it any more; clients that already did stay registered.
    ///
    /// Again: `false`.
    ///
    /// - Parameter tokenHash: The hash of the token.
    /// - Returns: `false` if there is no such token.
    /// - Throws: An error of the driver.
    func removeRegistrationToken(_ tokenHash: SecretHash) async throws -> Bool
}
