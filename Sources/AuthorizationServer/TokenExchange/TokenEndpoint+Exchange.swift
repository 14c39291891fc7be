// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

extension TokenEndpoint {
    /// RFC 8693: exchanges an access token for one with no more access, for a client that acts for a user.
    ///
    /// The new token has a grant of its own, so that the client can revoke it alone. That grant ends with the grant of
    /// the subject token.
    func exchangeToken(_ form: FormRequest) async throws(ProtocolFailure) -> GrantedTokens {
        let checked = try await CheckTable.tokenExchange.run(form, services)
        let request = checked.stage.base
        let (target, exchange, token) = (request.base.target, request.base.exchange, request.base.token)
        let subject = exchange.subject
        var grant = Grant(
            id: try await services.newGrantID(for: subject.grant.subject, at: request.now),
            clientID: request.client.clientID,
            subject: subject.grant.subject,
            scope: request.scope,
            authenticatedAt: subject.grant.authenticatedAt,
            authentication: subject.grant.authentication,
            createdAt: request.now,
            parentID: subject.grant.id
        )
        grant.resources = target.resources.map(\.address)
        grant.authorizationDetails = checked.stage.details
        let tokens = try await GrantedTokens(
            under: grant,
            GrantedAccess(
                request.scope,
                under: grant,
                to: request.client,
                target: target,
                lifetime: subject.expiresAt - request.now,
                at: request.now,
                services.configuration
            ),
            exchanging: exchange,
            for: token,
            services
        )
        let now = request.now
        try await write(checked.recording, with: tokens.storedAccessToken, for: token) { [grant] storage, recording in
            try await storage.record(grant, until: tokens.end, recording: recording, at: now)
        }
        return tokens
    }
}
