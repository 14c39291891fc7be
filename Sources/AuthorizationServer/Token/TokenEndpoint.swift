// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// Gives out tokens (RFC 6749 section 3.2).
///
/// First every check of the table, which consumes nothing; then the tokens are made; last, one transaction spends the code
/// or refresh token and stores what is given out. Whoever comes second gets nothing.
struct TokenEndpoint: Sendable {
    /// The grant types, as metadata names them.
    static let grantTypes = [
        "authorization_code", "refresh_token", "client_credentials", GrantType.deviceCode.rawValue,
        GrantType.tokenExchange.rawValue,
    ]

    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        var request = ProtocolRequest(http, at: services.addresses.token, now: services.clock.now())
        do throws(ProtocolFailure) {
            try await CheckTable.token.run(&request, services)
            let grantType = try request.requiredParameter("grant_type")
            let tokens =
                switch grantType {
                case "authorization_code": try await exchangeCode(&request)
                case "refresh_token": try await refresh(&request)
                case "client_credentials": try await grantToClient(&request)
                case GrantType.deviceCode.rawValue: try await grantToDevice(&request)
                case GrantType.tokenExchange.rawValue: try await exchangeToken(&request)
                default: throw ProtocolFailure(.unsupportedGrantType, "the grant_type is not supported")
                }
            services.record(
                grantType == "refresh_token" ? .tokenRefreshed : .tokenIssued,
                grantID: tokens.grantID,
                detail: grantType
            )
            var response = HTTPResponse.json(tokens.response.json)
            response.offerNonce(after: request, services)
            return response
        } catch {
            return .failure(error)
        }
    }

    /// RFC 6749 section 4.1.3.
    private func exchangeCode(_ request: inout ProtocolRequest) async throws(ProtocolFailure) -> GrantedTokens {
        try await CheckTable.authorizationCode.run(&request, services)
        let code = try request.established(request.code)
        let tokens = try await firstTokens(underGrant: code.grantID, for: request)
        let (hash, now, refreshToken) = (code.codeHash, request.now, tokens?.stored)
        let redemption = try await services.stored { try await $0.redeem(hash, issuing: refreshToken, at: now) }
        if redemption == .replayed {
            services.report("a code was used twice: its grant \(code.grantID) is revoked")
            services.record(.reuseDetected, grantID: code.grantID, detail: "code")
        }
        guard redemption == .first, let tokens else { throw .codeRefused }
        return tokens
    }

    /// RFC 6749 section 6.
    private func refresh(_ request: inout ProtocolRequest) async throws(ProtocolFailure) -> GrantedTokens {
        try await CheckTable.refreshToken.run(&request, services)
        let old = try request.established(request.refreshToken)
        guard let grant = try await grant(old.grantID) else { throw .refreshTokenRefused }
        guard services.configuration.profile.rotatesRefreshTokens else {
            return try await keepRefreshToken(old, under: grant, request)
        }
        let tokens = try await GrantedTokens(
            under: grant,
            scope: request.scope,
            refreshScope: old.scope,
            for: request,
            services
        )
        // Without a key, whoever stole the token could use the grace as well as its owner.
        let grace = old.dpopThumbprint == nil ? .zero : services.configuration.lifetimes.refreshGrace
        let (stored, now) = (try request.established(tokens.stored), request.now)
        let rotation = try await services.stored {
            try await $0.rotate(old.tokenHash, to: stored, grace: grace, at: now)
        }
        switch rotation {
        case .rotated, .reissued: return tokens
        case .reused:
            services.report("a refresh token was used twice: its grant \(old.grantID) is revoked")
            services.record(.reuseDetected, grantID: old.grantID, detail: "refresh token")
            throw .refreshTokenRefused
        case .unknown: throw .refreshTokenRefused
        }
    }

    /// The first tokens of a grant, for all of it; `nil` when it is not in force.
    func firstTokens(
        underGrant id: String,
        for request: ProtocolRequest
    ) async throws(ProtocolFailure) -> GrantedTokens? {
        guard let grant = try await grant(id) else { return nil }
        return try await GrantedTokens(
            under: grant,
            scope: grant.scope,
            refreshScope: refreshScope(of: grant, for: request),
            for: request,
            services
        )
    }

    /// RFC 6749 section 1.5: a refresh token is given to those who may use it.
    private func refreshScope(of grant: Grant, for request: ProtocolRequest) throws(ProtocolFailure) -> Scope? {
        try request.established(request.client).grantTypes.contains(.refreshToken) ? grant.scope : nil
    }

    private func grant(_ id: String) async throws(ProtocolFailure) -> Grant? {
        try await services.stored { try await $0.grant(id) }
    }
}
