// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// An API that access tokens can be for, and the properties of those tokens.
///
/// ## Specification
///
/// [RFC 8707 §2](https://www.rfc-editor.org/rfc/rfc8707#section-2)
public struct ProtectedResource: Sendable, Hashable {
    /// Its identifier in `resource` and `aud`: an absolute URI without fragment, compared byte by byte.
    public var address: String
    /// The scope values that belong to it; if empty, those that belong to no other API.
    public var scopes: [String]
    /// The format of its tokens.
    public var tokenFormat: AccessTokenFormat
    /// The lifetime of its tokens, at most ``Lifetimes/accessToken``; `nil` for that value.
    public var accessTokenLifetime: Duration?
    /// The signing algorithm of its tokens, for which there must be a key; `nil` for the server's default.
    public var signingAlgorithm: SignatureAlgorithm?
    /// The claims about users that its tokens have, if the user granted the scope of the claim; by default none.
    ///
    /// Each is one of ``ServerConfiguration/claims``.
    public var claims: [String]

    /// Describes an API.
    ///
    /// - Parameters:
    ///   - address: Its identifier in `resource` and `aud`.
    ///   - scopes: The scope values that belong to it.
    ///   - tokenFormat: The format of its tokens.
    ///   - accessTokenLifetime: The lifetime of its tokens.
    ///   - signingAlgorithm: The signing algorithm of its tokens.
    ///   - claims: The claims about users that its tokens have.
    public init(
        address: String,
        scopes: [String] = [],
        tokenFormat: AccessTokenFormat = .jwt,
        accessTokenLifetime: Duration? = nil,
        signingAlgorithm: SignatureAlgorithm? = nil,
        claims: [String] = []
    ) {
        self.address = address
        self.scopes = scopes
        self.tokenFormat = tokenFormat
        self.accessTokenLifetime = accessTokenLifetime
        self.signingAlgorithm = signingAlgorithm
        self.claims = claims
    }
}
