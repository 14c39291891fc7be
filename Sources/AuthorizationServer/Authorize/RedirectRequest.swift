// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// An authorization request with a redirect URI of its client: from here on, errors are sent there.
struct RedirectRequest: ClientStage {
    let clientRequest: ClientRequest
    let redirectURI: String
    /// How the response is sent; by query, unless the request says something else.
    var responseMode = AuthorizationRequest.ResponseMode.query
}
