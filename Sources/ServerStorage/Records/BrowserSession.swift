// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A browser in which a user has signed in.
public struct BrowserSession: Sendable, Hashable {
    /// The hash of the session cookie.
    public var idHash: SecretHash
    /// The user (`sub`).
    public var subject: String
    /// When the user authenticated (`auth_time`).
    public var authenticatedAt: Timestamp
    /// How the user authenticated (`acr`, `amr`).
    public var authentication: AuthenticationContext
    /// The hash of the reference of the authorization request for which the user signed in: it needs no second login.
    public var requestHash: SecretHash?
    /// When the session expires.
    public var expiresAt: Timestamp

    /// Makes a session.
    ///
    /// - Parameters:
    ///   - idHash: The hash of the session cookie.
    ///   - subject: The user (`sub`).
    ///   - authenticatedAt: When the user authenticated.
    ///   - authentication: How the user authenticated.
    ///   - requestHash: The hash of the reference of the request for which the user signed in.
    ///   - expiresAt: When the session expires.
    public init(
        idHash: SecretHash,
        subject: String,
        authenticatedAt: Timestamp,
        authentication: AuthenticationContext = AuthenticationContext(),
        requestHash: SecretHash? = nil,
        expiresAt: Timestamp
    ) {
        self.idHash = idHash
        self.subject = subject
        self.authenticatedAt = authenticatedAt
        self.authentication = authentication
        self.requestHash = requestHash
        self.expiresAt = expiresAt
    }
}
