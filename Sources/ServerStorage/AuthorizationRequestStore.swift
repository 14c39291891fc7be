// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Where authorization requests wait for the person.
public protocol AuthorizationRequestStore: Sendable {
    /// Stores a request.
    ///
    /// - Parameter request: The request.
    /// - Throws: An error of the driver.
    func add(_ request: StoredAuthorizationRequest) async throws

    /// The request of a handle; looking at it does not spend it.
    ///
    /// - Parameters:
    ///   - handleHash: The hash of the handle.
    ///   - now: The time.
    /// - Returns: The request; `nil` when it is unknown, expired or spent.
    /// - Throws: An error of the driver.
    func authorizationRequest(_ handleHash: SecretHash, at now: Timestamp) async throws -> StoredAuthorizationRequest?

    /// Spends a request without giving out a code: the person said no.
    ///
    /// - Parameters:
    ///   - handleHash: The hash of the handle.
    ///   - now: The time.
    /// - Returns: `true` for exactly one caller.
    /// - Throws: An error of the driver.
    func spendAuthorizationRequest(_ handleHash: SecretHash, at now: Timestamp) async throws -> Bool
}
