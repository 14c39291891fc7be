// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore

/// The tokens of one answer, made before anything is spent: a signature that fails costs nothing.
struct GrantedTokens {
    let grantID: String
    let accessToken: AccessToken
    let refreshToken: RefreshToken?
    /// With the scope `openid`.
    let idToken: SecurityToken?
    /// What is stored of the refresh token.
    let stored: StoredRefreshToken?
    let thumbprint: JWKThumbprint?
    let scope: Scope

    /// Makes tokens under a grant: the access token for `scope`, the refresh token for what it can give out again;
    /// with `nil` there is none, or the one that is `kept`.
    init(
        under grant: Grant,
        scope: Scope,
        refreshScope: Scope?,
        keeping kept: RefreshToken? = nil,
        for request: ProtocolRequest,
        _ services: Services
    ) async throws(ProtocolFailure) {
        let thumbprint = request.proof?.thumbprint
        let refreshToken = refreshScope.map { _ in services.tokens.makeRefreshToken() }
        grantID = grant.id
        self.scope = scope
        self.thumbprint = thumbprint
        self.refreshToken = refreshToken ?? kept
        do {
            accessToken = try await services.tokens.makeAccessToken(
                for: grant,
                scope: scope,
                thumbprint: thumbprint,
                at: request.now
            )
            idToken =
                scope.isForOpenID
                ? try await services.idTokens.makeIDToken(
                    for: grant,
                    client: request.established(request.client),
                    // OpenID Connect Core section 12.2: with a refresh there is none.
                    nonce: request.code?.nonce,
                    accessToken: accessToken,
                    at: request.now
                ) : nil
        } catch {
            services.report("a token was not signed: \(error)")
            throw .unavailable
        }
        stored = refreshToken.map { token in
            StoredRefreshToken(
                tokenHash: SecretHash(of: token.value),
                grantID: grant.id,
                clientID: grant.clientID,
                scope: refreshScope ?? .empty,
                dpopThumbprint: thumbprint,
                expiresAt: request.now + services.configuration.lifetimes.refreshToken
            )
        }
    }

    /// The answer (RFC 6749 section 5.1, RFC 9449 section 5).
    func response(_ services: Services) -> TokenResponse {
        TokenResponse(
            accessToken: accessToken,
            tokenType: thumbprint == nil ? .bearer : .dpop,
            expiresIn: services.configuration.lifetimes.accessToken,
            refreshToken: refreshToken,
            scope: scope.isEmpty ? nil : scope,
            idToken: idToken
        )
    }
}
