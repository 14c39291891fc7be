// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// An authorization request that was checked and waits for the person: pushed (RFC 9126), or sent by the browser.
public struct StoredAuthorizationRequest: Sendable, Hashable {
    /// The hash of the random part of its `request_uri`.
    public var handleHash: SecretHash
    /// The request.
    public var request: AuthorizationRequest
    /// When it can no longer be used.
    public var expiresAt: Timestamp

    /// Makes a stored request.
    ///
    /// - Parameters:
    ///   - handleHash: The hash of the random part of its `request_uri`.
    ///   - request: The request.
    ///   - expiresAt: When it can no longer be used.
    public init(handleHash: SecretHash, request: AuthorizationRequest, expiresAt: Timestamp) {
        self.handleHash = handleHash
        self.request = request
        self.expiresAt = expiresAt
    }
}
