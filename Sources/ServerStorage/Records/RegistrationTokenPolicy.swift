// SPDX-License-Identifier: Apache-2.0

public import OAuthCore

/// What a client may register itself for with an initial access token (RFC 7591 section 5).
public struct RegistrationTokenPolicy: Sendable, Hashable {
    /// The scope that a client may register, and gets if it asks for none; `nil` for what says only who the user is.
    public var scope: Scope?
    /// Whether a client may register for access tokens that are bound to no key.
    public var allowsBearerTokens: Bool

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - scope: The scope that a client may register.
    ///   - allowsBearerTokens: Whether a client may register for access tokens that are bound to no key.
    public init(scope: Scope? = nil, allowsBearerTokens: Bool = false) {
        self.scope = scope
        self.allowsBearerTokens = allowsBearerTokens
    }
}
