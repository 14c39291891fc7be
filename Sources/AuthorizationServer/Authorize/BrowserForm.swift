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
    init(_ request: HTTPRequest, _ services: Services, at now: Timestamp) async throws(ProtocolFailure) {
        (parameters, cookie) = try Self.authentic(request, services)
        let uri = RequestURI(reference: parameters.values(for: "request")[0])
        pending = try await PendingAuthorization.load(uri, in: cookie, services, at: now)
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
        guard request.fields["Cookie"] != nil else { throw withoutCookies }
        guard parameters.firstRepeatedName == nil, let cookie = BrowserCookie(in: request, services),
            let reference = parameters.values(for: "request").first,
            let token = parameters.values(for: "csrf_token").first
        else { throw forged }
        guard ConstantTime.areEqual(token, cookie.csrfToken(for: reference)) else {
            // Only a browser says that the form came from this server; no page of another site can.
            let isOwn = request.fields["Origin"] != nil || request.fields["Sec-Fetch-Site"] != nil
            throw isOwn ? outdated : forged
        }
        return (parameters, cookie)
    }

    /// What the browser gets for a form that was rejected.
    ///
    /// A page that stayed open while the user signed in in another tab has the token of the former cookie. Nothing of its
    /// form is used: a GET shows the page that the request needs now, as the link to the request would.
    static func response(
        to failure: ProtocolFailure,
        for request: HTTPRequest,
        _ services: Services,
        at now: Timestamp
    ) async -> HTTPResponse {
        guard failure.isSame(as: outdated), let parameters = try? FormBody.parameters(of: request) else {
            return AuthorizationErrorResponse.page(for: failure, services)
        }
        do throws(ProtocolFailure) {
            let uri = RequestURI(reference: parameters.first("request"))
            let reads = try await services.reads(of: uri, in: BrowserCookie(in: request, services), at: now)
            let userCode = UserCode(typed: parameters.first("user_code"))
            return .seeOther(try services.pendingSignIn(uri, reads, userCode: userCode).resumption(services))
        } catch {
            return AuthorizationErrorResponse.page(for: error, services)
        }
    }

    /// The value of a field; empty if it is absent.
    func value(_ name: String) -> String {
        parameters.first(name)
    }

    static let withoutCookies = ProtocolFailure(
        .accessDenied,
        "the form was sent without the cookie of its page; cookies must be allowed",
        status: 403
    )

    static let forged = ProtocolFailure(
        .accessDenied,
        "the form was not sent from a page of this server in this browser",
        status: 403
    )

    /// The form came from a page of this server, which had an earlier cookie.
    static let outdated = ProtocolFailure(
        .accessDenied,
        "the page of the form is older than the last sign-in in this browser",
        status: 403
    )
}

extension FormParameters {
    /// The first value of a field; empty if it is absent.
    func first(_ name: String) -> String {
        values(for: name).first ?? ""
    }
}
