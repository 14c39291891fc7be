// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Where initial access tokens are kept (RFC 7591 section 1.2).
public protocol RegistrationTokenStore: Sendable {
    /// Stores a new token.
    ///
    /// - Parameter token: The token.
    /// - Throws: An error of the driver; also when it is stored already.
    func add(_ token: StoredRegistrationToken) async throws

    /// Whether a client can be registered with a token.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: `false` when it is unknown, expired or used up.
    /// - Throws: An error of the driver.
    func canRegister(with tokenHash: SecretHash, at now: Timestamp) async throws -> Bool

    /// Stores a new client and uses the token once, in one step: of any number of callers at once as many win as the
    /// token has uses left.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: What became of it.
    /// - Throws: An error of the driver.
    func register(
        _ client: RegisteredClient,
        with tokenHash: SecretHash,
        at now: Timestamp
    ) async throws -> ClientRegistration
}
