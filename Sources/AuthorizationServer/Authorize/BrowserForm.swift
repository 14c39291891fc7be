// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

/// A form that a page of this server sent: it came from this browser, and is about a request that still waits.
struct BrowserForm {
    let parameters: FormParameters
    let cookie: BrowserCookie
    let pending: PendingAuthorization

    /// Reads a form and checks that nobody else made the browser send it (RFC 9700 section 4.7, RFC 6749 section 10.12).
    init(_ request: HTTPRequest, _ services: Services, at now: Timestamp) async throws(ProtocolFailure) {
        (parameters, cookie) = try Self.authentic(request, services)
        let uri = RequestURI(reference: parameters.values(for: "request")[0])
        pending = try await PendingAuthorization.load(uri, in: cookie, services, at: now)
    }

    /// The parameters of a form that a page of this server sent in this browser, `request` among them, and its cookie.
    static func authentic(
        _ request: HTTPRequest,
        _ services: Services
    ) throws(ProtocolFailure) -> (parameters: FormParameters, cookie: BrowserCookie) {
        // Browsers say where a form was: one of another site is refused before anything is looked up.
        if let origin = request.fields["Origin"], origin != services.configuration.issuer.origin {
            throw forged
        }
        let parameters = try FormBody.parameters(of: request)
        guard parameters.firstRepeatedName == nil, let cookie = BrowserCookie(in: request, services),
            let handle = parameters.values(for: "request").first,
            let token = parameters.values(for: "csrf_token").first,
            ConstantTime.areEqual(token, cookie.csrfToken(for: handle))
        else { throw forged }
        return (parameters, cookie)
    }

    /// The value of a field, empty when it is absent.
    func value(_ name: String) -> String {
        parameters.values(for: name).first ?? ""
    }

    static let forged = ProtocolFailure(
        .accessDenied,
        "the form was not sent from a page of this server in this browser; cookies must be allowed",
        status: 403
    )
}
