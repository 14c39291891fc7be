// SPDX-License-Identifier: Apache-2.0

public import OAuthCore

/// What a route of an API demands of the access token.
public struct GuardRequirement: Sendable, Hashable {
    /// The scope that the token must have; without it, 403 `insufficient_scope` (RFC 6750 section 3.1).
    public var scope: Scope
    /// The authentication contexts of which the user must have met one (`acr`, compared byte by byte); empty for any.
    ///
    /// Without one of them, 401 `insufficient_user_authentication` (RFC 9470 section 3).
    public var contexts: [String]
    /// How long ago the user may have signed in (`auth_time`), in whole seconds; `nil` for any time.
    ///
    /// Without it, 401 `insufficient_user_authentication` (RFC 9470 section 3). A token without `auth_time`, such as one
    /// that a client has for itself, never satisfies this.
    public var maximumAge: Duration?
    /// Whether a token that is bound to no key is accepted, as a bearer token (RFC 6750).
    ///
    /// `nil`, the default, for ``GuardConfiguration/acceptsTokensThatAreBoundToNothing``.
    public var allowsUnboundTokens: Bool?

    /// Makes a requirement; by default, any valid token will do.
    ///
    /// - Parameters:
    ///   - scope: The scope that the token must have.
    ///   - contexts: The authentication contexts of which the user must have met one.
    ///   - maximumAge: How long ago the user may have signed in.
    ///   - allowsUnboundTokens: Whether a token that is bound to no key is accepted; `nil` as configured.
    public init(
        scope: Scope = .empty,
        contexts: [String] = [],
        maximumAge: Duration? = nil,
        allowsUnboundTokens: Bool? = nil
    ) {
        self.scope = scope
        self.contexts = contexts
        self.maximumAge = maximumAge
        self.allowsUnboundTokens = allowsUnboundTokens
    }
}
