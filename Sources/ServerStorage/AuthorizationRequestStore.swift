// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A store for authorization requests that wait for the user.
public protocol AuthorizationRequestStore: Sendable {
    /// Stores a request.
    ///
    /// Again: nothing happens if the same request is stored.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: Whether it was recorded.
    /// - Throws: An error of the driver; also if another request with that reference is stored.
    func add(
        _ request: StoredAuthorizationRequest,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<Void>

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
    /// Again: `true` for the same attempt, until the request expires.
    ///
    /// - Parameters:
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - attempt: Names the change.
    ///   - now: The time.
    /// - Returns: `true` for exactly one attempt.
    /// - Throws: An error of the driver.
    func consumeAuthorizationRequest(
        _ referenceHash: SecretHash,
        by attempt: WriteAttempt,
        at now: Timestamp
    ) async throws -> Bool
}
