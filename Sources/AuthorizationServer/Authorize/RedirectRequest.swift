// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// An authorization request with a verified redirect URI.
///
/// Later errors are sent there.
struct RedirectRequest: ClientStage {
    let clientRequest: ClientRequest
    /// Empty for a sign-in without a browser that has none.
    let redirectURI: String
    /// How the response is sent; `query` unless the request has a `response_mode`.
    var responseMode = AuthorizationRequest.ResponseMode.query
}
