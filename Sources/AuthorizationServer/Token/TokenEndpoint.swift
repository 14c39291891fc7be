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

    /// The first tokens of a grant, for all of its access; `nil` if the grant is not active.
    func firstTokens(
        under grant: Grant?,
        target: AccessTokenTarget? = nil,
        details: [AuthorizationDetail]? = nil,
        nonce: String? = nil,
        for request: TokenRequest
    ) async throws(ProtocolFailure) -> GrantedTokens? {
        guard let grant else { return nil }
        // RFC 6749 section 1.5: only clients with the grant type get a refresh token.
        let mayRefresh = request.client.grantTypes.contains(.refreshToken)
        return try await GrantedTokens(
            under: grant,
            GrantedAccess(
                grant.scope,
                under: grant,
                to: request.client,
                target: target,
                details: details,
                at: request.now,
                services.configuration
            ),
            refreshing: mayRefresh ? NewRefreshToken(grant.scope, under: grant, for: request, services) : nil,
            nonce: nonce,
            for: request,
            services
        )
    }

    /// Stores the change that issues tokens, with the proof and the assertion of the request and the record of an opaque
    /// access token: all of it, or nothing.
    func write<Outcome: Sendable>(
        _ recording: Recording,
        with accessToken: StoredAccessToken?,
        for request: TokenRequest,
        _ operation: (any AuthorizationStorage, Recording) async throws -> Recorded<Outcome>
    ) async throws(ProtocolFailure) -> Outcome {
        var recording = recording
        recording.accessToken = accessToken
        return try await services.write(recording, for: request, operation)
    }

    /// A code or device code was used twice, and its grant is now revoked.
    func reportReuse(of what: String, _ grantID: String) {
        services.report("a \(what) was used twice: its grant \(grantID) is revoked")
        services.record(.reuseDetected, grantID: grantID, detail: what)
    }
}
