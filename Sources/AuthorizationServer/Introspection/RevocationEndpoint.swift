// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthSystem
import ServerStorage

/// Revokes the grant of a token (RFC 7009 section 2).
///
/// Revoking either token revokes the grant, and with it both tokens (section 2.1). For an unknown token, or one of
/// another client, the response is the same as after a revocation (section 2.2): it does not reveal whether the token
/// exists.
struct RevocationEndpoint: Sendable {
    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        let received = ReceivedRequest(http, at: services.addresses.revocation, now: services.clock.now())
        do {
            let request = try await CheckTable.revocation.run(received, services)
            let token = try request.requiredParameter("token")
            if let id = try await grantID(of: token, for: request.client, at: request.now) {
                let now = request.now
                try await services.stored { try await $0.revokeGrant(id, at: now) }
                services.record(.grantRevoked, grantID: id)
            }
            return HTTPResponse(status: 200, fields: ["Cache-Control": "no-store"])
        } catch {
            return .failure(error)
        }
    }

    private func grantID(
        of token: String,
        for client: RegisteredClient,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> String? {
        let hash = SecretHash(of: token)
        if let stored = try await services.stored({ try await $0.refreshToken(hash) }) {
            return stored.clientID.isIdentical(to: client.clientID) ? stored.grantID : nil
        }
        guard let claims = try await services.claims(ofAccessToken: token, at: now),
            claims.string("client_id")?.isIdentical(to: client.clientID) ?? false
        else { return nil }
        return claims.string(TokenIssuer.grantClaim)
    }
}
