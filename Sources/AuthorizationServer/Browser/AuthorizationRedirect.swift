// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// Sends an answer to a redirect URI that was checked.
enum AuthorizationRedirect {
    static func response(
        _ parameters: FormParameters,
        to redirectURI: String,
        state: String?,
        _ services: Services
    ) -> HTTPResponse {
        var parameters = parameters
        if let state { parameters.append("state", state) }
        // RFC 9207 section 2: on success and on error.
        parameters.append("iss", services.configuration.issuer.description)
        guard let uri = try? URI(parsing: redirectURI) else {
            return ErrorAnswer.page(for: .requestGone, services)
        }
        return .seeOther(uri.appendingQuery(parameters).description)
    }
}
