// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

/// A form of a page of this server, posted by the browser that got the page, for a request that is still pending.
struct BrowserForm {
    let parameters: FormParameters
    let cookie: BrowserCookie
    let pending: PendingAuthorization

    /// Parses a form and rejects cross-site request forgery (RFC 9700 section 4.7, RFC 6749 section 10.12).
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - services: The services of the server.
    ///   - field: The field with a user name, whose account is read too; `nil` for none.
    ///   - now: The time.
    /// - Throws: A failure to show as a page.
    init(
        _ request: HTTPRequest,
        _ services: Services,
        userNamedIn field: String? = nil,
        at now: Timestamp
    ) async throws(ProtocolFailure) {
        let (parameters, cookie) = try Self.authentic(request, services)
        (self.parameters, self.cookie) = (parameters, cookie)
        let uri = RequestURI(reference: parameters.values(for: "request")[0])
        let typed = field.flatMap { parameters.values(for: $0).first }
        pending = try await PendingAuthorization.load(
            uri,
            in: cookie,
            userNamed: typed.flatMap(Username.acceptable),
            services,
            at: now
        )
    }

    /// The parameters of a form that this server sent to this browser, including `request`, and the cookie of the
    /// browser.
    static func authentic(
        _ request: HTTPRequest,
        _ services: Services
    ) throws(ProtocolFailure) -> (parameters: FormParameters, cookie: BrowserCookie) {
        // Browsers send the origin of a form: a form of another site is rejected before any lookup.
        if let origin = request.fields["Origin"], origin != services.configuration.issuer.origin {
            throw forged
        }
        guard FetchMetadata.allowsForm(request) else { throw forged }
        let parameters = try FormBody.parameters(of: request)
        guard parameters.firstRepeatedName == nil, let cookie = BrowserCookie(in: request, services),
            let reference = parameters.values(for: "request").first,
            let token = parameters.values(for: "csrf_token").first,
            ConstantTime.areEqual(token, cookie.csrfToken(for: reference))
        else { throw forged }
        return (parameters, cookie)
    }

    /// The value of a field; empty if it is absent.
    func value(_ name: String) -> String {
        parameters.values(for: name).first ?? ""
    }

    static let forged = ProtocolFailure(
        .accessDenied,
        "the form was not sent from a page of this server in this browser; cookies must be allowed",
        status: 403
    )
}
