// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import ServerStorage

/// A logout request that passed all checks, and its pages.
struct SignOut {
    /// Replaces the reference of a request in the form of the sign-out page.
    ///
    /// References of requests are longer.
    static let formName = "logout"

    private let client: RegisteredClient?
    private let redirectURI: String?
    private let state: String?
    private let services: Services

    init(_ checked: SignOutRequest, _ services: Services) throws(ProtocolFailure) {
        client = checked.client
        redirectURI = checked.redirectURI
        state = try checked.parameter("state")
        self.services = services
    }

    /// The session has ended: redirects the browser to the client (section 3), or shows a notice, with a link to the client.
    func end() -> HTTPResponse {
        guard let redirectURI, let uri = try? URI(parsing: redirectURI) else { return notice(.signedOut) }
        var parameters = FormParameters()
        if let state { parameters.append("state", state) }
        let target = parameters.all.isEmpty ? redirectURI : uri.appendingQuery(parameters).description
        guard !isAutomatic else { return .seeOther(target) }
        return notice(.signedOut, wayBack: .link(target, RedirectDestination(host: uri.host ?? uri.scheme + ":")))
    }

    /// Whether the browser goes to the client without a click (RFC 9700 section 4.11.2).
    ///
    /// Anybody can send users a link to this endpoint. If nobody vouches for the client, its address may be one where they are
    /// deceived, and they would trust it because the link begins with the name of this server.
    private var isAutomatic: Bool {
        client?.origin == .registeredByOperator || services.configuration.errorRedirects == .always
    }

    /// The page that asks the user to confirm.
    func confirmation(user: UserAccount, cookie: BrowserCookie) -> HTTPResponse {
        var fields: FormParameters = [
            "request": Self.formName, "csrf_token": cookie.csrfToken(for: Self.formName),
        ]
        if let client { fields.append("client_id", client.clientID) }
        if let redirectURI { fields.append("post_logout_redirect_uri", redirectURI) }
        if let state { fields.append("state", state) }
        let page = SignOutPage(
            serverName: services.configuration.serverName,
            clientName: client?.name,
            userName: user.username,
            action: services.addresses.endSessionConfirmation.path,
            fields: fields.all.map { ($0.name, $0.value) }
        )
        return .page(page.html(), redirectURI: redirectURI, services)
    }

    /// A page with the outcome, without a redirect.
    func notice(_ outcome: NoticePage.Outcome, wayBack: ErrorPage.WayBack? = nil) -> HTTPResponse {
        let page = NoticePage(serverName: services.configuration.serverName, outcome: outcome, wayBack: wayBack)
        return .page(page.html(), services)
    }

    static func errorPage(for failure: ProtocolFailure, _ services: Services) -> HTTPResponse {
        AuthorizationErrorResponse.page(for: failure, as: .cannotSignOut, services)
    }
}
