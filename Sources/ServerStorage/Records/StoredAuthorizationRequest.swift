// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// An authorization request that was checked and waits for the person: pushed (RFC 9126), or sent by the browser.
public struct StoredAuthorizationRequest: Sendable, Hashable {
    /// The hash of the random part of its `request_uri`.
    public var handleHash: SecretHash
    /// The request.
    public var request: AuthorizationRequest
    /// When it can no longer be used.
    public var expiresAt: Timestamp
    /// The hash of the cookie of the browser in which somebody signed in for it: no other one may go on with it.
    public var browserHash: SecretHash?

    /// Makes a stored request.
    ///
    /// - Parameters:
    ///   - handleHash: The hash of the random part of its `request_uri`.
    ///   - request: The request.
    ///   - expiresAt: When it can no longer be used.
    ///   - browserHash: The hash of the cookie of the browser that it belongs to.
    public init(
        handleHash: SecretHash,
        request: AuthorizationRequest,
        expiresAt: Timestamp,
        browserHash: SecretHash? = nil
    ) {
        self.handleHash = handleHash
        self.request = request
        self.expiresAt = expiresAt
        self.browserHash = browserHash
    }
}
