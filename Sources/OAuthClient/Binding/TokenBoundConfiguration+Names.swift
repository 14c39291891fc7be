// SPDX-License-Identifier: Apache-2.0

extension TokenBoundConfiguration where Self == BoundedTokenConfiguration {
    /// Tokens that are bound to a P-256 key, and no others; the default.
    public static var dpop: Self { BoundedTokenConfiguration() }

    /// Tokens that are bound to a P-256 key where the server announces DPoP or gives bound tokens, and Bearer tokens where it
    /// does neither; see ``TokenBindingFallback/bearerTokensWhereBindingIsNotOffered``.
    public static var dpopIfOffered: Self {
        BoundedTokenConfiguration(fallback: .bearerTokensWhereBindingIsNotOffered)
    }
}

extension TokenBoundConfiguration where Self == UnboundedTokenConfiguration {
    /// Bearer tokens, which anyone who finds them can use.
    public static var bearer: Self { UnboundedTokenConfiguration() }
}
