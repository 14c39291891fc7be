// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

extension TokenEndpoint {
    /// RFC 6749 section 4.4: an access token for the client itself, and no refresh token (section 4.4.3).
    ///
    /// It can be revoked and asked about like any other; see ``OwnGrantID`` for what that needs. The grant of an opaque token is
    /// stored, as the token is found with it.
    func grantToClient(_ request: inout ProtocolRequest) async throws(ProtocolFailure) -> GrantedTokens {
        try await CheckTable.clientCredentials.run(&request, services)
        let client = try request.established(request.client)
        let name = Grant.newID(at: request.now, services.entropy)
        var grant = Grant(
            id: name,
            clientID: client.clientID,
            subject: client.clientID,
            scope: request.scope,
            authenticatedAt: request.now,
            createdAt: request.now
        )
        grant.resources = request.resources
        grant.authorizationDetails = request.authorizationDetails ?? []
        let end = request.now + services.configuration.lifetimes.accessToken
        var isStored = true
        if let registrationID = client.registrationID, try format(under: grant, for: request) == .jwt {
            isStored = false
            grant.id =
                OwnGrantID(
                    registrationID: registrationID,
                    revocations: client.ownGrantRevocations,
                    issuedAt: request.now,
                    endsAt: end,
                    name: name
                ).description
        }
        let tokens = try await GrantedTokens(
            under: grant,
            scope: request.scope,
            refreshScope: nil,
            for: request,
            services
        )
        if isStored { try await services.stored { [grant] in try await $0.record(grant, until: end) } }
        return tokens
    }

    private func format(
        under grant: Grant,
        for request: ProtocolRequest
    ) throws(ProtocolFailure) -> AccessTokenFormat {
        if let target = request.target { return target.format }
        return try AccessTokenTarget(of: grant, services.configuration).format
    }
}
