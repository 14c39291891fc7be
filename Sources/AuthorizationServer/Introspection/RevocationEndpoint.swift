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
            let checked = try await CheckTable.revocation.run(received, services)
            let (request, now) = (checked.stage, checked.stage.now)
            let token = try request.requiredParameter("token")
            let grantID = try await grantID(of: token, request.base.reads.tokens.first, for: request.client)
            try await services.write(checked.recording, for: request) { storage, recording in
                guard let grantID else { return try await storage.recordIfNeeded(recording, at: now) }
                return try await storage.revokeGrant(grantID, recording: recording, at: now)
            }
            if let grantID { services.record(.grantRevoked, grantID: grantID) }
            var response = HTTPResponse(status: 200, fields: ["Cache-Control": "no-store"])
            response.offerNonce(after: request, services)
            return response
        } catch {
            return .failure(error)
        }
    }

    private func grantID(
        of token: String,
        _ read: TokenRead?,
        for client: RegisteredClient
    ) async throws(ProtocolFailure) -> String? {
        if let stored = read?.refreshToken {
            return stored.clientID.isIdentical(to: client.clientID) ? stored.grantID : nil
        }
        guard let claims = try await services.claims(ofAccessToken: token, read),
            claims.string("client_id")?.isIdentical(to: client.clientID) ?? false
        else { return nil }
        return claims.string(TokenIssuer.grantClaim)
    }
}
