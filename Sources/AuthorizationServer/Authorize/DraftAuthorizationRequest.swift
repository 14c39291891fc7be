// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// An authorization request with all required parameters.
///
/// The checks of optional parameters add to it.
struct DraftAuthorizationRequest: AuthorizationStage, ScopeStage {
    let clientRequest: ClientRequest
    var authorization: AuthorizationRequest

    var scope: Scope { authorization.scope }

    init(_ request: AccessRequest<ChallengedRequest>) throws(ProtocolFailure) {
        let redirect = request.base.base
        clientRequest = request.clientRequest
        authorization = AuthorizationRequest(
            clientID: request.client.clientID,
            redirectURI: redirect.redirectURI,
            scope: request.scope,
            state: try request.parameter("state"),
            codeChallenge: request.base.codeChallenge,
            dpopThumbprint: nil,
            responseMode: redirect.responseMode
        )
        authorization.resources = request.resources
        authorization.authorizationDetails = request.details ?? []
    }
}
