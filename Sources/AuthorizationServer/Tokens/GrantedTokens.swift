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
    /// How long the access token lives.
    let lifetime: Duration
    /// What was issued, when a token was exchanged for it.
    var issuedTokenType: TokenTypeIdentifier?

    /// Makes tokens under a grant: the access token for `scope`, the refresh token for what it can give out again;
    /// with `nil` there is none.
    init(
        under grant: Grant,
        scope: Scope,
        refreshScope: Scope?,
        for request: ProtocolRequest,
        _ services: Services
    ) async throws(ProtocolFailure) {
        let thumbprint = request.proof?.thumbprint
        let refreshToken = refreshScope.map { _ in services.tokens.makeRefreshToken() }
        grantID = grant.id
        lifetime = services.configuration.lifetimes.accessToken
        self.scope = scope
        self.thumbprint = thumbprint
        self.refreshToken = refreshToken
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

    /// Makes the one token of a token exchange.
    init(
        exchangedUnder grant: Grant,
        for request: ProtocolRequest,
        until end: Timestamp,
        _ services: Services
    ) async throws(ProtocolFailure) {
        (grantID, scope, thumbprint) = (grant.id, request.scope, request.proof?.thumbprint)
        (lifetime, issuedTokenType) = (end - request.now, .accessToken)
        (refreshToken, idToken, stored) = (nil, nil, nil)
        do {
            accessToken = try await services.tokens.makeAccessToken(
                for: grant,
                scope: request.scope,
                exchanging: request.established(request.exchange),
                of: request.established(request.client),
                thumbprint: request.proof?.thumbprint,
                at: request.now,
                until: end
            )
        } catch {
            services.report("a token was not signed: \(error)")
            throw .unavailable
        }
    }

    /// The answer (RFC 6749 section 5.1, RFC 9449 section 5).
    var response: TokenResponse {
        TokenResponse(
            accessToken: accessToken,
            tokenType: thumbprint == nil ? .bearer : .dpop,
            expiresIn: lifetime,
            refreshToken: refreshToken,
            scope: scope.isEmpty ? nil : scope,
            issuedTokenType: issuedTokenType,
            idToken: idToken
        )
    }
}
