// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import ServerStorage

/// Sends a response to a verified redirect URI, in the response mode of the request.
enum AuthorizationRedirect {
    static func response(
        _ parameters: FormParameters,
        to redirectURI: String,
        as mode: AuthorizationRequest.ResponseMode,
        state: String?,
        client: RegisteredClient?,
        _ services: Services
    ) -> HTTPResponse {
        var parameters = parameters
        if let state { parameters.append("state", state) }
        // RFC 9207 section 2: with every response, successful or not.
        parameters.append("iss", services.configuration.issuer.description)
        guard let uri = try? URI(parsing: redirectURI) else {
            return AuthorizationErrorResponse.page(for: .requestGone, services)
        }
        switch mode {
        case .query:
            return .seeOther(uri.appendingQuery(parameters).description)
        case .formPost:
            let page = FormPostPage(
                serverName: services.configuration.serverName,
                clientName: client?.name,
                action: redirectURI,
                fields: parameters.all.map { ($0.name, $0.value) }
            )
            return .formPostPage(page.html(), redirectURI: redirectURI, services)
        }
    }
}
