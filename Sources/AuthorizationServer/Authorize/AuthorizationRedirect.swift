// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import ServerStorage

/// A response to a verified redirect URI, in the response mode of the request.
struct AuthorizationRedirect {
    private let redirectURI: String
    private let mode: AuthorizationRequest.ResponseMode
    private let parameters: FormParameters
    private let client: RegisteredClient?

    init(
        to redirectURI: String,
        as mode: AuthorizationRequest.ResponseMode,
        parameters: FormParameters,
        state: String?,
        client: RegisteredClient?,
        _ services: Services
    ) {
        (self.redirectURI, self.mode, self.client) = (redirectURI, mode, client)
        var parameters = parameters
        if let state { parameters.append("state", state) }
        // RFC 9207 section 2: with every response, successful or not.
        parameters.append("iss", services.configuration.issuer.description)
        self.parameters = parameters
    }

    /// The response that leads there at once.
    func response(_ services: Services) -> HTTPResponse {
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
                fields: fields
            )
            return .formPostPage(page.html(), redirectURI: redirectURI, services)
        }
    }

    /// What leads there when the user presses it.
    var wayBack: ErrorPage.WayBack? {
        guard let uri = try? URI(parsing: redirectURI) else { return nil }
        let destination = RedirectDestination(host: uri.host ?? uri.scheme + ":")
        switch mode {
        case .query: return .link(uri.appendingQuery(parameters).description, destination)
        case .formPost: return .form(redirectURI, fields, destination)
        }
    }

    private var fields: [(name: String, value: String)] {
        parameters.all.map { ($0.name, $0.value) }
    }
}
