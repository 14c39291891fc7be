// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import ServerStorage

/// OAuth 2.0 Multiple Response Types section 2.1: the response mode is supported, and works with the redirect URI.
///
/// Runs directly after the check of the redirect URI, so that the errors of all later checks are sent in this mode.
struct CheckResponseMode: Check {
    let section = "OAuth 2.0 Multiple Response Types section 2.1, OAuth 2.0 Form Post Response Mode section 2"

    func run(_ request: consuming RedirectRequest, _ services: Services) throws(ProtocolFailure) -> RedirectRequest {
        guard let text = try request.parameter("response_mode") else { return request }
        guard let mode = AuthorizationRequest.ResponseMode(rawValue: text) else {
            throw ProtocolFailure(.invalidRequest, "the response_mode is neither 'query' nor 'form_post'")
        }
        let scheme = try? URI(parsing: request.redirectURI).scheme
        guard mode == .query || scheme == "https" || scheme == "http" else {
            throw ProtocolFailure(.invalidRequest, "a form cannot be posted to the scheme of an app")
        }
        request.responseMode = mode
        return request
    }
}
