// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ResourceServer
import ServerStorage
import StrictJSON

/// The userinfo endpoint: returns claims about the user of an access token (OpenID Connect Core section 5.3).
///
/// It is protected like any other API, by the same guard, so bound tokens need a proof of their key. In addition it
/// looks up the grant, so a revoked token is rejected at once.
struct UserInfoEndpoint: Sendable {
    let services: Services
    let requestGuard: RequestGuard
    private let accessTokens: UserInfoAccessTokens

    /// Sets up the endpoint with the nonces of a resource server.
    init(_ services: Services) throws(AuthorizationServerError) {
        self.services = services
        accessTokens = UserInfoAccessTokens(services: services)
        let configuration = services.configuration
        do {
            var demands = GuardConfiguration(
                issuer: configuration.issuer.description,
                // Request paths include the path of the issuer.
                address: try URI(parsing: configuration.issuer.origin ?? ""),
                audience: configuration.audience,
                proofs: services.verifier.policy
            )
            demands.signatures = configuration.signatures
            demands.acceptsTokensThatAreBoundToNothing = !configuration.requireDPoP
            requestGuard = try RequestGuard(
                configuration: demands,
                accessTokens: accessTokens,
                replay: services.replay.store(in: services.storage, services.entropy),
                nonces: services.nonces.resourceServer,
                clock: services.clock
            )
        } catch {
            throw AuthorizationServerError(
                .invalidConfiguration,
                "the userinfo endpoint has no address",
                underlying: error
            )
        }
    }

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        let read = GrantUserRead(services)
        switch await requestGuard.check(http, for: Self.requirement, recordingIn: { read.store(for: $0) }) {
        case .rejected(let rejection):
            return rejection.response
        case .accepted(let authorized):
            do {
                try await checkWebOrigin(of: http, authorized)
                // Refreshing does not help the client, so it must not read that its token has expired.
                guard accessTokens.isForServer(authorized.claims) else {
                    return requestGuard.invalidToken(in: http, authorized, Self.otherAudience).response
                }
                return try await respond(authorized, to: read.user())
                    ?? requestGuard.invalidToken(in: http, authorized, "The access token was revoked").response
            } catch {
                return .failure(error)
            }
        }
    }

    /// As ``CheckWebOrigin``, for the client of the token.
    private func checkWebOrigin(of http: HTTPRequest, _ authorized: AuthorizedRequest) async throws(ProtocolFailure) {
        guard let origin = http.fields["Origin"] else { return }
        let clientID = authorized.claims.string("client_id") ?? ""
        let client = try await services.stored { try await $0.client(clientID) }
        guard client?.allowedWebOrigins.contains(where: { $0.isIdentical(to: origin) }) ?? false else {
            throw .webOriginRejected
        }
    }

    /// The claims; `nil` if the grant was revoked.
    private func respond(_ authorized: AuthorizedRequest, to user: UserAccount?) -> HTTPResponse? {
        guard let user else { return nil }
        var claims: JSONObject = ["sub": .string(user.subject)]
        if authorized.scope.contains(Scope.profileName) { claims["preferred_username"] = .string(user.username) }
        // Section 5.4.
        claims.addMissing(user.claims.only(services.configuration.claimNames(releasedBy: authorized.scope)))
        var response = HTTPResponse.json(claims)
        for field in authorized.responseFields.all { response.fields[field.name] = field.value }
        return response
    }

    private static let otherAudience =
        "The access token is for another API: to ask about the user, request one without the parameter resource"
    private static let requirement = GuardRequirement(scope: (try? Scope([Scope.openIDName])) ?? .empty)
}
