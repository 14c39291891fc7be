// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import ServerStorage

/// An authorization request that passed all checks.
///
/// It is stored only if the user has to interact.
struct CheckedAuthorizationRequest {
    let request: AuthorizationRequest
    let client: RegisteredClient
    let createdAt: Timestamp

    init(request: AuthorizationRequest, client: RegisteredClient, createdAt: Timestamp) {
        (self.request, self.client, self.createdAt) = (request, client, createdAt)
    }

    /// Takes the last stage of the checks, and drops what only checks need.
    init(_ checked: some AuthorizationStage) {
        self.init(request: checked.authorization, client: checked.client, createdAt: checked.now)
    }

    /// The request under a new `request_uri`, to be stored.
    func pending(_ services: Services) -> (uri: RequestURI, stored: StoredAuthorizationRequest) {
        let uri = RequestURI(at: createdAt, services.entropy)
        let stored = StoredAuthorizationRequest(
            referenceHash: uri.hash,
            request: request,
            expiresAt: createdAt + services.configuration.lifetimes.authorizationRequest
        )
        return (uri, stored)
    }

    /// The response to the client, through the browser, with `state` and `iss` (RFC 6749 section 4.1.2, RFC 9207).
    func redirect(_ parameters: FormParameters, _ services: Services) -> HTTPResponse {
        AuthorizationRedirect(
            to: request.redirectURI,
            as: request.responseMode,
            parameters: parameters,
            state: request.state,
            client: client,
            services
        ).response(services)
    }
}
