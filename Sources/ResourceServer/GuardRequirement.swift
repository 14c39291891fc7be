// SPDX-License-Identifier: Apache-2.0

public import OAuthCore

/// What a route of an API demands of the access token.
public struct GuardRequirement: Sendable, Hashable {
    /// The scope that the token must have; without it, 403 `insufficient_scope` (RFC 6750 section 3.1).
    public var scope: Scope
    /// Lists of scopes, of each of which the token must have one besides ``scope``; without it, 403 `insufficient_scope` (RFC
    /// 6750 section 3.1).
    ///
    /// The challenge names the first scope of a list, so that is what clients ask for.
    public var anyScopes: [Scope]
    /// The claims that the token must have, all of them; without one, 403 `insufficient_scope` that names no scope (RFC 6750
    /// section 3.1).
    ///
    /// Claims of an introspected token are the members of the response (RFC 7662 section 2.2).
    public var claims: [ClaimRequirement]
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
    ///   - anyScope: Scopes of which the token must have one, the one that clients ask for first; empty for none.
    ///   - claims: The claims that the token must have.
    ///   - contexts: The authentication contexts of which the user must have met one.
    ///   - maximumAge: How long ago the user may have signed in.
    ///   - allowsUnboundTokens: Whether a token that is bound to no key is accepted; `nil` as configured.
    public init(
        scope: Scope = .empty,
        anyScope: Scope = .empty,
        claims: [ClaimRequirement] = [],
        contexts: [String] = [],
        maximumAge: Duration? = nil,
        allowsUnboundTokens: Bool? = nil
    ) {
        self.scope = scope
        anyScopes = anyScope.isEmpty ? [] : [anyScope]
        self.claims = claims
        self.contexts = contexts
        self.maximumAge = maximumAge
        self.allowsUnboundTokens = allowsUnboundTokens
    }

    /// Whether a token with a scope has all that is demanded of it.
    func isMet(by granted: Scope) -> Bool {
        scope.isSubset(of: granted) && anyScopes.allSatisfy { $0.tokens.contains(where: granted.contains) }
    }

    /// The scope that a challenge names: all of ``scope``, and of each list what was granted, or else its first.
    func scopeToRequest(having granted: Scope = .empty) -> Scope {
        guard !anyScopes.isEmpty else { return scope }
        let chosen = anyScopes.compactMap { list in list.tokens.first(where: granted.contains) ?? list.tokens.first }
        return (try? Scope(scope.tokens + chosen)) ?? scope
    }

    /// What is demanded of the scope, for logs, such as `notes, and read or admin`.
    var scopeDescription: String {
        let all = scope.isEmpty ? [] : [scope.description]
        return (all + anyScopes.map { $0.tokens.joined(separator: " or ") }).joined(separator: ", and ")
    }
}
