// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// The error page for a request without a client to send the error to (RFC 6749 section 4.1.2.1).
enum AuthorizationErrorResponse {
    static func page(
        for failure: ProtocolFailure,
        as kind: ErrorPage.Kind? = nil,
        _ services: Services
    ) -> HTTPResponse {
        let kind = failure.status >= 500 ? .busy : kind ?? failure.page
        let page = ErrorPage(
            serverName: services.configuration.serverName,
            title: kind.title,
            explanation: kind.explanation,
            code: failure.code.rawValue,
            hint: failure.description,
            requestID: RequestTrace.current?.id
        )
        var response = HTTPResponse.page(page.html(), status: failure.status, services)
        if let retry = failure.fields["Retry-After"] { response.fields["Retry-After"] = retry }
        return response
    }
}

extension ProtocolFailure {
    /// The page that says so to a user.
    fileprivate var page: ErrorPage.Kind {
        if status == 429 { return .tooManyAttempts }
        if isSame(as: .requestGone) { return .ended }
        if isSame(as: BrowserForm.withoutCookies) || isSame(as: .otherBrowserWithoutCookies) { return .withoutCookies }
        let elsewhere = [BrowserForm.forged, BrowserForm.outdated, .otherBrowser]
        return elsewhere.contains { isSame(as: $0) } ? .elsewhere : .rejected
    }

    /// Whether two failures are of the same kind.
    func isSame(as other: ProtocolFailure) -> Bool {
        code == other.code && description == other.description
    }
}
