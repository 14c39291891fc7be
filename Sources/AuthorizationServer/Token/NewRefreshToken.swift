// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage

/// A refresh token that was made just now, and what is stored of it.
struct NewRefreshToken {
    let token: RefreshToken
    let stored: StoredRefreshToken

    /// Makes a token, which is bound to the key of the request, if there is one.
    ///
    /// - Parameters:
    ///   - scope: What it can give out again.
    ///   - grant: What it is given out under.
    ///   - request: Whose response it is.
    ///   - services: What makes it.
    init(_ scope: Scope, under grant: Grant, for request: TokenRequest, _ services: Services) {
        token = services.tokens.makeRefreshToken(at: request.now)
        stored = StoredRefreshToken(
            tokenHash: SecretHash(of: token.value),
            grantID: grant.id,
            clientID: grant.clientID,
            scope: scope,
            dpopThumbprint: request.proof?.thumbprint,
            expiresAt: request.now + services.configuration.lifetimes.refreshToken
        )
    }
}
