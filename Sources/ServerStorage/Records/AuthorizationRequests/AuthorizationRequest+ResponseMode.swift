// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON

extension AuthorizationRequest {
    /// How the authorization response reaches the client.
    ///
    /// ## Specification
    ///
    /// [Multiple Response Types
    /// §2.1](https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html#ResponseModes),
    /// [OAuth 2.0 Form Post Response Mode](https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html)
    public enum ResponseMode: String, Sendable, CaseIterable {
        /// In the query of the redirect URI.
        case query
        /// As a form that the browser posts to the redirect URI.
        case formPost = "form_post"
    }
}

extension AuthorizationRequest.ResponseMode {
    /// Reads the stored form; a missing member means `query`.
    init(stored object: JSONObject) throws {
        let text = try object.optionalString("response_mode") ?? Self.query.rawValue
        guard let mode = Self(rawValue: text) else { throw JOSEError(.invalidClaim, "'response_mode' is unknown") }
        self = mode
    }
}
