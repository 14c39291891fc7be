// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage

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
    let access: GrantedAccess
    /// What was issued, when a token was exchanged for it.
    let issuedTokenType: TokenTypeIdentifier?

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
        let refreshToken = refreshScope.map { _ in services.tokens.makeRefreshToken(at: request.now) }
        grantID = grant.id
        let access = try GrantedAccess(scope, under: grant, for: request, services.configuration)
        self.access = access
        issuedTokenType = request.exchange == nil ? nil : .accessToken
        self.thumbprint = thumbprint
        self.refreshToken = refreshToken ?? kept
        let storedAccessToken: StoredAccessToken?
        do {
            (accessToken, storedAccessToken) = try await services.tokens.makeAccessToken(
                for: grant,
                access,
                changing: request.exchange?.claims(for: request.established(request.client)) ?? [],
                thumbprint: thumbprint,
                at: request.now
            )
            idToken =
                access.scope.isForOpenID && request.exchange == nil
                ? try await services.idTokens.makeIDToken(
                    for: grant,
                    client: request.established(request.client),
                    // OpenID Connect Core section 12.2: with a refresh there is none.
                    nonce: request.code?.nonce,
                    accessToken: accessToken,
                    at: request.now
                ) : nil
        } catch {
            let cause = (error as? JOSEError)?.underlying.map { " (\($0))" } ?? ""
            services.report("a token was not signed: \(error)\(cause)")
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
        // Before anything is spent: nobody has the token yet, and of one that is never answered nothing but this is left.
        if let storedAccessToken { try await services.stored { try await $0.add(storedAccessToken) } }
    }

    /// The answer (RFC 6749 section 5.1, RFC 9449 section 5).
    var response: TokenResponse {
        TokenResponse(
            accessToken: accessToken,
            tokenType: thumbprint == nil ? .bearer : .dpop,
            expiresIn: access.lifetime,
            refreshToken: refreshToken,
            scope: access.scope.isEmpty ? nil : access.scope,
            issuedTokenType: issuedTokenType,
            authorizationDetails: access.details.isEmpty ? nil : access.details,
            idToken: idToken
        )
    }
}
