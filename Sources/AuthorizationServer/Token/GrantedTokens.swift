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
    /// What is stored of the refresh token, when it is a new one.
    let stored: StoredRefreshToken?
    /// Whose response they are.
    let request: TokenRequest
    let access: GrantedAccess
    /// What was issued, when a token was exchanged for it.
    let issuedTokenType: TokenTypeIdentifier?

    /// Makes tokens under a grant.
    ///
    /// - Parameters:
    ///   - grant: What they are given out under.
    ///   - access: What the access token is good for.
    ///   - newRefreshToken: The refresh token that is given out with it.
    ///   - kept: The refresh token that the client has and keeps.
    ///   - nonce: `nonce` of the id_token; with a refresh there is none (OpenID Connect Core section 12.2).
    ///   - exchange: The tokens that are exchanged for them.
    ///   - request: Whose response they are.
    ///   - services: What makes them.
    /// - Throws: A failure when the storage or a key fails.
    init(
        under grant: Grant,
        _ access: GrantedAccess,
        refreshing newRefreshToken: NewRefreshToken? = nil,
        keeping kept: RefreshToken? = nil,
        nonce: String? = nil,
        exchanging exchange: TokenExchange? = nil,
        for request: TokenRequest,
        _ services: Services
    ) async throws(ProtocolFailure) {
        let thumbprint = request.proof?.thumbprint
        grantID = grant.id
        self.access = access
        issuedTokenType = exchange == nil ? nil : .accessToken
        self.request = request
        refreshToken = newRefreshToken?.token ?? kept
        stored = newRefreshToken?.stored
        let storedAccessToken: StoredAccessToken?
        do {
            (accessToken, storedAccessToken) = try await services.tokens.makeAccessToken(
                for: grant,
                access,
                changing: exchange?.claims(for: request.client) ?? [],
                thumbprint: thumbprint,
                at: request.now
            )
            idToken =
                access.scope.isForOpenID && exchange == nil
                ? try await services.idTokens.makeIDToken(
                    for: grant,
                    client: request.client,
                    nonce: nonce,
                    accessToken: accessToken,
                    at: request.now
                ) : nil
        } catch {
            let cause = error.underlying.map { " (\($0))" } ?? ""
            services.report("a token was not signed: \(error)\(cause)")
            throw .unavailable
        }
        // Before anything is spent: nobody has the token yet, and of one that is never answered nothing but this is left.
        if let storedAccessToken { try await services.stored { try await $0.add(storedAccessToken) } }
    }

    /// The answer (RFC 6749 section 5.1, RFC 9449 section 5).
    var response: TokenResponse {
        TokenResponse(
            accessToken: accessToken,
            tokenType: request.proof == nil ? .bearer : .dpop,
            expiresIn: access.lifetime,
            refreshToken: refreshToken,
            scope: access.scope.isEmpty ? nil : access.scope,
            issuedTokenType: issuedTokenType,
            authorizationDetails: access.details.isEmpty ? nil : access.details,
            idToken: idToken
        )
    }
}
