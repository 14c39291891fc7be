// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A store for authorization requests that wait for the user.
public protocol AuthorizationRequestStore: Sendable {
    /// Stores a request.
    ///
    /// - Parameter request: The request.
    /// - Throws: An error of the driver.
    func add(_ request: StoredAuthorizationRequest) async throws

    /// The request of a reference; reading does not consume it.
    ///
    /// - Parameters:
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - now: The time.
    /// - Returns: The request; `nil` if it is unknown, expired or used.
    /// - Throws: An error of the driver.
    func authorizationRequest(
        _ referenceHash: SecretHash,
        at now: Timestamp
    ) async throws -> StoredAuthorizationRequest?

    /// Consumes a request without issuing a code: the user denied it.
    ///
    /// - Parameters:
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - now: The time.
    /// - Returns: `true` for exactly one caller.
    /// - Throws: An error of the driver.
    func consumeAuthorizationRequest(_ referenceHash: SecretHash, at now: Timestamp) async throws -> Bool
}
