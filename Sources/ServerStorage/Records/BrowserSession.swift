// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A browser in which a person has signed in.
public struct BrowserSession: Sendable, Hashable {
    /// The hash of the session cookie.
    public var idHash: SecretHash
    /// Who signed in.
    public var subject: String
    /// When (`auth_time`).
    public var authenticatedAt: Timestamp
    /// How (`acr`, `amr`).
    public var authentication: AuthenticationContext
    /// The hash of the handle of the authorization request that they signed in for: this one needs no second login.
    public var requestHash: SecretHash?
    /// When the session ends.
    public var expiresAt: Timestamp

    /// Makes a session.
    ///
    /// - Parameters:
    ///   - idHash: The hash of the session cookie.
    ///   - subject: Who signed in.
    ///   - authenticatedAt: When.
    ///   - authentication: How.
    ///   - requestHash: The hash of the handle of the request that they signed in for.
    ///   - expiresAt: When the session ends.
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
