// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// How a session without a refresh token gets new tokens.
struct TokenRenewal: Sendable {
    /// The result of a renewal.
    struct Renewed: Sendable {
        let tokens: TokenSet
        /// Whether another process requested them.
        var isAdopted = false
    }

    /// Whether the tokens are in the token store, so that a sign-out deletes them there, with their key.
    var isStored = false
    /// Gets tokens in place of others, for other resources than the session's own if some are given.
    let renew: @Sendable (_ tokens: TokenSet?, _ resources: [String]?) async throws(OAuthClientError) -> Renewed
}
