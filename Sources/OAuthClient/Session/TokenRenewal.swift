// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// How a session without a refresh token gets new tokens.
struct TokenRenewal: Sendable {
    /// Gets new tokens, for other resources than the session's own if some are given.
    let renew: @Sendable (_ resources: [String]?) async throws(OAuthClientError) -> TokenSet
}
