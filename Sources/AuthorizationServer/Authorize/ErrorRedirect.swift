// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import ServerStorage

/// The error of an authorization request, on its way to the client (RFC 6749 section 4.1.2.1).
///
/// A link to this server that only ends with an error at the redirect URI is a redirect to whoever registered the
/// client. So the user must be signed in, or see a page first (RFC 9700 section 4.11.2).
struct ErrorRedirect {
    /// Who the server knows to be at the browser.
    enum User {
        /// No user is signed in.
        case unknown
        case signedIn
        /// Pressed a button of this server, whose page says where it leads.
        case decided
    }

    let error: OAuthErrorResponse
    let client: RegisteredClient
    let redirectURI: String
    let responseMode: AuthorizationRequest.ResponseMode
    let state: String?
    let user: User
    /// Whether the request must show no page (OpenID Connect Core section 3.1.2.1, `prompt=none`).
    let isSilent: Bool
    /// The status of the page: 503 and 429 for what is over soon, which the user can wait for.
    var status = 400
    /// `Retry-After` of the page.
    var retryAfter: String?

    /// The redirect, or the page that leads there.
    func response(_ services: Services) -> HTTPResponse {
        let redirect = AuthorizationRedirect(
            to: redirectURI,
            as: responseMode,
            parameters: error.parameters,
            state: state,
            client: client,
            services
        )
        return isAutomatic(services.configuration) ? redirect.response(services) : page(redirect, services)
    }

    private func isAutomatic(_ configuration: ServerConfiguration) -> Bool {
        if configuration.errorRedirects == .always || user == .decided { return true }
        let isOperators = client.origin == .registeredByOperator
        if isSilent { return isOperators || RedirectURIMatch.staysOnDevice(redirectURI) }
        return isOperators && user == .signedIn
    }

    private func page(_ redirect: AuthorizationRedirect, _ services: Services) -> HTTPResponse {
        let kind: ErrorPage.Kind = status >= 500 ? .busy : status == 429 ? .tooManyAttempts : .rejected
        let page = ErrorPage(
            serverName: services.configuration.serverName,
            title: kind.title,
            explanation: kind == .rejected
                ? "Go back to the app. If it happens again, tell the people who make the app." : kind.explanation,
            code: error.error.rawValue,
            hint: error.errorDescription ?? "",
            requestID: RequestTrace.current?.id,
            wayBack: redirect.wayBack
        )
        var response = HTTPResponse.page(page.html(), status: status, redirectURI: redirectURI, services)
        if let retryAfter { response.fields["Retry-After"] = retryAfter }
        return response
    }
}
