// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A checked authorization request that waits for the user: pushed (RFC 9126), or sent by the browser.
public struct StoredAuthorizationRequest: Sendable, Hashable {
    /// The hash of the random part of its `request_uri`.
    public var referenceHash: SecretHash
    /// The request.
    public var request: AuthorizationRequest
    /// When it expires.
    public var expiresAt: Timestamp
    /// The hash of the cookie of the browser in which a user signed in for it; no other browser may continue with it.
    public var browserHash: SecretHash?

    /// Makes a stored request.
    ///
    /// - Parameters:
    ///   - referenceHash: The hash of the random part of its `request_uri`.
    ///   - request: The request.
    ///   - expiresAt: When it expires.
    ///   - browserHash: The hash of the cookie of the browser to which it belongs.
    public init(
        referenceHash: SecretHash,
        request: AuthorizationRequest,
        expiresAt: Timestamp,
        browserHash: SecretHash? = nil
    ) {
        self.referenceHash = referenceHash
        self.request = request
        self.expiresAt = expiresAt
        self.browserHash = browserHash
    }
}
