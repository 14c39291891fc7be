// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// An API that access tokens can be for, and what such tokens are like.
///
/// ## Specification
///
/// [RFC 8707 §2](https://www.rfc-editor.org/rfc/rfc8707#section-2)
public struct ProtectedResource: Sendable, Hashable {
    /// What clients name it by (`resource`) and tokens are for (`aud`): an absolute URI without fragment, compared byte by byte.
    public var address: String
    /// The scopes that belong to it; when there are none, it takes those that belong to no other API.
    public var scopes: [String]
    /// What its tokens look like.
    public var tokenFormat: AccessTokenFormat
    /// How long its tokens are valid; at most ``Lifetimes/accessToken``, which it is when `nil`.
    public var accessTokenLifetime: Duration?
    /// What its tokens are signed with, one of the algorithms that there is a key for; the server's own choice when `nil`.
    public var signingAlgorithm: SignatureAlgorithm?

    /// Describes an API.
    ///
    /// - Parameters:
    ///   - address: What clients name it by.
    ///   - scopes: The scopes that belong to it.
    ///   - tokenFormat: What its tokens look like.
    ///   - accessTokenLifetime: How long its tokens are valid.
    ///   - signingAlgorithm: What its tokens are signed with.
    public init(
        address: String,
        scopes: [String] = [],
        tokenFormat: AccessTokenFormat = .jwt,
        accessTokenLifetime: Duration? = nil,
        signingAlgorithm: SignatureAlgorithm? = nil
    ) {
        self.address = address
        self.scopes = scopes
        self.tokenFormat = tokenFormat
        self.accessTokenLifetime = accessTokenLifetime
        self.signingAlgorithm = signingAlgorithm
    }
}
