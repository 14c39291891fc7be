// SPDX-License-Identifier: Apache-2.0

import OAuthClient

extension TokenBoundConfiguration where Self == BoundedTokenConfiguration {
    /// Bound tokens, but Bearer tokens of a server that gives no others.
    static var acceptingBearerTokens: Self { Self(fallback: .bearerTokensInsteadOfBoundOnes) }
}
