// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// Issues tokens (RFC 6749 section 3.2).
///
/// First every check of the table runs and consumes nothing. Then the tokens are made. Last, one transaction consumes
/// the code or refresh token and stores the new tokens. If two requests race, one of them wins and the other gets no
/// tokens.
struct TokenEndpoint: Sendable {
    /// The grant types, as in the metadata.
    static let grantTypes = [
        "authorization_code", "refresh_token", "client_credentials", GrantType.deviceCode.rawValue,
        GrantType.tokenExchange.rawValue,
    ]

    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        let received = ReceivedRequest(http, at: services.addresses.token, now: services.clock.now())
        do throws(ProtocolFailure) {
            let request = try await CheckTable.token.run(received, services)
            let grantType = try request.requiredParameter("grant_type")
            let tokens =
                switch grantType {
                case "authorization_code": try await exchangeCode(request)
                case "refresh_token": try await refresh(request)
                case "client_credentials": try await grantToClient(request)
                case GrantType.deviceCode.rawValue: try await grantToDevice(request)
                case GrantType.tokenExchange.rawValue: try await exchangeToken(request)
                default: throw ProtocolFailure(.unsupportedGrantType, "the grant_type is not supported")
                }
            services.record(
                grantType == "refresh_token" ? .tokenRefreshed : .tokenIssued,
                grantID: tokens.grantID,
                detail: grantType
            )
            var response = HTTPResponse.json(tokens.response.json)
            response.offerNonce(after: tokens.request, services)
            return response
        } catch {
            return .failure(error)
        }
    }

    /// Redeems a code (RFC 6749 section 4.1.3).
    private func exchangeCode(_ form: FormRequest) async throws(ProtocolFailure) -> GrantedTokens {
        let request = try await CheckTable.authorizationCode.run(form, services)
        let (code, granted) = (request.base.code, request.granted)
        let tokens = try await firstTokens(
            underGrant: code.grantID,
            target: granted?.target,
            details: granted?.details,
            nonce: code.nonce,
            for: request.base.token
        )
        let (hash, now, refreshToken) = (code.codeHash, request.now, tokens?.stored)
        let redemption = try await services.stored { try await $0.redeem(hash, issuing: refreshToken, at: now) }
        if redemption == .replayed {
            services.report("a code was used twice: its grant \(code.grantID) is revoked")
            services.record(.reuseDetected, grantID: code.grantID, detail: "code")
        }
        guard redemption == .first, let tokens else { throw .codeRejected }
        return tokens
    }

    /// Uses a refresh token (RFC 6749 section 6).
    private func refresh(_ form: FormRequest) async throws(ProtocolFailure) -> GrantedTokens {
        let request = try await CheckTable.refreshToken.run(form, services)
        let (old, token) = (request.base.base.refreshToken, request.base.base.token)
        guard let grant = try await grant(old.grantID) else { throw .refreshTokenRejected }
        let access = try GrantedAccess(
            request.base.scope,
            under: grant,
            target: request.granted?.target,
            details: request.granted?.details,
            services.configuration
        )
        guard services.configuration.profile.rotatesRefreshTokens else {
            return try await keepRefreshToken(old, under: grant, access, token)
        }
        let new = NewRefreshToken(old.scope, under: grant, for: token, services)
        let tokens = try await GrantedTokens(under: grant, access, refreshing: new, for: token, services)
        // Without a bound key, a thief of the token could use the grace period as well as its owner.
        let grace = old.dpopThumbprint == nil ? .zero : services.configuration.lifetimes.refreshGrace
        let now = request.now
        let rotation = try await services.stored {
            try await $0.rotate(old.tokenHash, to: new.stored, grace: grace, at: now)
        }
        switch rotation {
        case .rotated, .reissued: return tokens
        case .reused:
            services.report("a refresh token was used twice: its grant \(old.grantID) is revoked")
            services.record(.reuseDetected, grantID: old.grantID, detail: "refresh token")
            throw .refreshTokenRejected
        case .unknown: throw .refreshTokenRejected
        }
    }

    /// The first tokens of a grant, for all of its access; `nil` if the grant is not active.
    func firstTokens(
        underGrant id: String,
        target: AccessTokenTarget? = nil,
        details: [AuthorizationDetail]? = nil,
        nonce: String? = nil,
        for request: TokenRequest
    ) async throws(ProtocolFailure) -> GrantedTokens? {
        guard let grant = try await grant(id) else { return nil }
        // RFC 6749 section 1.5: only clients with the grant type get a refresh token.
        let mayRefresh = request.client.grantTypes.contains(.refreshToken)
        return try await GrantedTokens(
            under: grant,
            GrantedAccess(grant.scope, under: grant, target: target, details: details, services.configuration),
            refreshing: mayRefresh ? NewRefreshToken(grant.scope, under: grant, for: request, services) : nil,
            nonce: nonce,
            for: request,
            services
        )
    }

    private func grant(_ id: String) async throws(ProtocolFailure) -> Grant? {
        try await services.stored { try await $0.grant(id) }
    }
}
