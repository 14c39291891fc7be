// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import ServerStorage

/// An authorization request that passed the checks; it is stored when somebody has to be waited for.
struct AskedRequest {
    let request: AuthorizationRequest
    let client: RegisteredClient
    let createdAt: Timestamp

    init(request: AuthorizationRequest, client: RegisteredClient, createdAt: Timestamp) {
        (self.request, self.client, self.createdAt) = (request, client, createdAt)
    }

    /// Gathers what the checks established.
    init(_ checked: ProtocolRequest) throws(ProtocolFailure) {
        client = try checked.established(checked.client)
        createdAt = checked.now
        var request = AuthorizationRequest(
            clientID: client.clientID,
            redirectURI: try checked.established(checked.redirectURI),
            scope: checked.scope,
            state: try checked.parameter("state"),
            codeChallenge: try checked.established(checked.codeChallenge),
            dpopThumbprint: checked.dpopThumbprint,
            authentication: checked.authentication,
            responseMode: checked.responseMode
        )
        request.resources = checked.resources
        request.authorizationDetails = checked.authorizationDetails ?? []
        self.request = request
    }

    /// Stores the request under a new handle.
    func store(_ services: Services) async throws(ProtocolFailure) -> PendingRequest {
        let handle = services.tokens.random()
        let stored = StoredAuthorizationRequest(
            handleHash: SecretHash(of: handle),
            request: request,
            expiresAt: createdAt + services.configuration.lifetimes.authorizationRequest
        )
        try await services.stored { try await $0.add(stored) }
        return PendingRequest(handle: handle, asked: self)
    }

    /// The answer to the client, through the browser, with `state` and `iss` (RFC 6749 section 4.1.2, RFC 9207).
    func redirect(_ parameters: FormParameters, _ services: Services) -> HTTPResponse {
        AuthorizationRedirect.response(
            parameters,
            to: request.redirectURI,
            as: request.responseMode,
            state: request.state,
            client: client,
            services
        )
    }
}
