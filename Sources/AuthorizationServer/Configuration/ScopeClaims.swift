// SPDX-License-Identifier: Apache-2.0

/// A scope value, and the claims about the user that it releases.
///
/// ## Specification
///
/// [OpenID Connect Core §5.4](https://openid.net/specs/openid-connect-core-1_0.html#ScopeClaims)
public struct ScopeClaims: Sendable, Hashable {
    /// The scope token; it must be one of ``ServerConfiguration/scopes``.
    public var scope: String
    /// The names of the claims: 1 to 64 characters, and none that the server sets itself.
    public var names: [String]

    /// Describes a scope value.
    ///
    /// - Parameters:
    ///   - scope: The scope token.
    ///   - names: The names of the claims that it releases.
    public init(scope: String, names: [String]) {
        self.scope = scope
        self.names = names
    }
}
