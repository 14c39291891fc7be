// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Who signed in, when and how: what a request asks of its user, whether in a browser or in an app.
public struct AuthenticatedUser: Sendable, Hashable {
    /// The user (`sub`).
    public var subject: String
    /// When the user authenticated (`auth_time`).
    public var authenticatedAt: Timestamp
    /// How the user authenticated (`acr`, `amr`).
    public var authentication: AuthenticationContext

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - subject: The user (`sub`).
    ///   - authenticatedAt: When the user authenticated.
    ///   - authentication: How the user authenticated.
    public init(subject: String, authenticatedAt: Timestamp, authentication: AuthenticationContext) {
        self.subject = subject
        self.authenticatedAt = authenticatedAt
        self.authentication = authentication
    }
}

extension BrowserSession {
    /// Who is signed in.
    package var authenticatedUser: AuthenticatedUser {
        AuthenticatedUser(subject: subject, authenticatedAt: authenticatedAt, authentication: authentication)
    }
}
