// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

extension TokenEndpoint {
    /// RFC 8693: an access token for another one, with less in it, for a client that acts for somebody.
    ///
    /// It has a grant of its own, so that the client can revoke it alone; that grant ends with the one of the subject token.
    func exchangeToken(_ request: inout ProtocolRequest) async throws(ProtocolFailure) -> GrantedTokens {
        try await CheckTable.tokenExchange.run(&request, services)
        let subject = try request.established(request.exchange).subject
        var grant = Grant(
            id: Grant.newID(at: request.now, services.entropy),
            clientID: try request.established(request.client).clientID,
            subject: subject.grant.subject,
            scope: request.scope,
            authenticatedAt: subject.grant.authenticatedAt,
            authentication: subject.grant.authentication,
            createdAt: request.now,
            parentID: subject.grant.id
        )
        grant.resources = try request.established(request.target).resources.map(\.address)
        grant.authorizationDetails = subject.authorizationDetails
        let tokens = try await GrantedTokens(
            under: grant,
            scope: request.scope,
            refreshScope: nil,
            for: request,
            services
        )
        let end = request.now + tokens.access.lifetime
        try await services.stored { [grant] in try await $0.record(grant, until: end) }
        return tokens
    }
}
