// SPDX-License-Identifier: Apache-2.0

import OAuthClient

extension TokenBoundConfiguration where Self == BoundedTokenConfiguration {
    /// Bound tokens, or Bearer tokens if the server issues no others.
    static var acceptingBearerTokens: Self { Self(fallback: .bearerTokensInsteadOfBoundOnes) }
}
