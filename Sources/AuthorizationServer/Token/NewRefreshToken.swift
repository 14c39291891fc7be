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
    ///   - previous: The refresh token that it replaces; `nil` for the first one of the grant.
    ///   - request: The token request.
    ///   - services: The services of the server.
    /// - Throws: A failure if the identifier of the grant is not of this server.
    init(
        _ scope: Scope,
        under grant: Grant,
        replacing previous: String? = nil,
        for request: TokenRequest,
        _ services: Services
    ) throws(ProtocolFailure) {
        token = try services.tokens.makeRefreshToken(for: grant, replacing: previous, at: request.now)
        guard let secret = GrantSecret(token.value, as: .refreshToken), let familyHash = secret.familyHash else {
            throw .unavailable
        }
        stored = StoredRefreshToken(
            tokenHash: secret.hash,
            familyHash: familyHash,
            grantID: grant.id,
            clientID: grant.clientID,
            scope: scope,
            dpopThumbprint: Self.isBoundToKey(request.client, services) ? request.proof?.thumbprint : nil,
            expiresAt: services.configuration.lifetimes.endOfRefreshToken(under: grant, at: request.now)
        )
    }

    /// RFC 9449 section 5: the refresh token of a client with a credential of its own is bound to that client.
    private static func isBoundToKey(_ client: RegisteredClient, _ services: Services) -> Bool {
        !client.hasOwnCredential || services.configuration.bindsRefreshTokensOfConfidentialClients
    }
}
