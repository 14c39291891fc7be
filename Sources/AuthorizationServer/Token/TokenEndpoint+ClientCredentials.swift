// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

extension TokenEndpoint {
    /// RFC 6749 section 4.4: an access token for the client itself, without a refresh token (section 4.4.3).
    ///
    /// It can be revoked and introspected like any other; see ``ClientCredentialsGrantID``. The grant of an opaque
    /// token is stored, since the token is looked up with it.
    func grantToClient(_ form: FormRequest) async throws(ProtocolFailure) -> GrantedTokens {
        let checked = try await CheckTable.clientCredentials.run(form, services)
        let request = checked.stage
        let (client, asked, configuration) = (request.client, request.base, services.configuration)
        let name = try await services.newGrantID(for: client.clientID, at: request.now)
        var grant = Grant(
            id: name,
            clientID: client.clientID,
            subject: client.clientID,
            scope: asked.scope,
            authenticatedAt: request.now,
            createdAt: request.now
        )
        grant.resources = asked.resources
        grant.authorizationDetails = asked.details ?? []
        let end = request.now + configuration.lifetimes.accessToken
        var isStored = true
        if let registrationID = client.registrationID, request.target.format == .jwt {
            isStored = false
            grant.id =
                ClientCredentialsGrantID(
                    registrationID: registrationID,
                    revocations: client.ownGrantRevocations,
                    issuedAt: request.now,
                    endsAt: end,
                    name: name
                ).description
        }
        let tokens = try await GrantedTokens(
            under: grant,
            GrantedAccess(
                asked.scope,
                under: grant,
                to: request.client,
                target: request.target,
                details: asked.details,
                at: request.now,
                configuration
            ),
            for: asked.base,
            services
        )
        let now = request.now
        try await write(checked.recording, with: tokens.storedAccessToken, for: asked.base) {
            [grant] storage, recording in
            guard isStored else { return try await storage.recordIfNeeded(recording, at: now) }
            return try await storage.record(grant, until: end, recording: recording, at: now)
        }
        return tokens
    }
}
