// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage

/// The tokens of one response, made before the code or refresh token is consumed: a failed signature loses nothing.
struct GrantedTokens {
    let grantID: String
    let accessToken: AccessToken
    let refreshToken: RefreshToken?
    /// Present with the scope `openid`.
    let idToken: SecurityToken?
    /// The record of a new refresh token.
    let stored: StoredRefreshToken?
    /// The record of an opaque access token, which is stored with the change that issues it.
    let storedAccessToken: StoredAccessToken?
    /// The token request.
    let request: TokenRequest
    let access: GrantedAccess
    /// The type of the issued token, in a token exchange.
    let issuedTokenType: TokenTypeIdentifier?

    /// Makes tokens under a grant.
    ///
    /// - Parameters:
    ///   - grant: The grant that they are issued under.
    ///   - access: The access of the access token.
    ///   - newRefreshToken: The refresh token to issue with it.
    ///   - kept: The refresh token that the client has and keeps.
    ///   - nonce: `nonce` of the ID token; absent for a refresh (OpenID Connect Core section 12.2).
    ///   - exchange: The tokens that are exchanged for them.
    ///   - request: The token request.
    ///   - services: The services of the server.
    /// - Throws: A failure if a key fails.
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
        let isForOpenID = access.scope.isForOpenID && exchange == nil
        let released = try await ReleasedClaims(under: grant, access, hasIDToken: isForOpenID, services)
        do {
            (accessToken, storedAccessToken) = try await services.tokens.makeAccessToken(
                for: grant,
                access,
                about: released.accessToken,
                changing: exchange?.claims(for: request.client) ?? [],
                thumbprint: thumbprint,
                at: request.now
            )
            idToken =
                isForOpenID
                ? try await services.idTokens.makeIDToken(
                    for: grant,
                    client: request.client,
                    about: released.idToken,
                    nonce: nonce,
                    accessToken: accessToken,
                    at: request.now
                ) : nil
        } catch {
            let cause = (error as? JOSEError)?.underlying.map { " (\($0))" } ?? ""
            services.report("a token was not signed: \(error)\(cause)")
            throw .unavailable
        }
    }

    /// When the access token expires.
    var end: Timestamp { request.now + access.lifetime }

    /// The token response (RFC 6749 section 5.1, RFC 9449 section 5).
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
