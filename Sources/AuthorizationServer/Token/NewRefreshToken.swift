// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage

/// A new refresh token and its record.
struct NewRefreshToken {
    let token: RefreshToken
    let stored: StoredRefreshToken

    /// Makes a refresh token, bound to the key of the request if the request has a proof.
    ///
    /// - Parameters:
    ///   - scope: The scope that it can be used for.
    ///   - grant: The grant that it is issued under.
    ///   - request: The token request.
    ///   - services: The services of the server.
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
