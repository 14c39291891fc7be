// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore

extension TokenEndpoint {
    /// RFC 6749 section 4.4: an access token for the client itself, and no refresh token (section 4.4.3).
    ///
    /// Its grant is stored like a person's, so that it can be revoked and asked about.
    func grantToClient(_ request: inout ProtocolRequest) async throws(ProtocolFailure) -> GrantedTokens {
        try await CheckTable.clientCredentials.run(&request, services)
        let clientID = try request.established(request.client).clientID
        var grant = Grant(
            id: Base64URL.encode(services.entropy.bytes(16)),
            clientID: clientID,
            subject: clientID,
            scope: request.scope,
            authenticatedAt: request.now,
            createdAt: request.now
        )
        grant.resources = request.resources
        grant.authorizationDetails = request.authorizationDetails ?? []
        let tokens = try await GrantedTokens(
            under: grant,
            scope: request.scope,
            refreshScope: nil,
            for: request,
            services
        )
        let end = request.now + services.configuration.lifetimes.accessToken
        try await services.stored { [grant] in try await $0.record(grant, until: end) }
        return tokens
    }
}
