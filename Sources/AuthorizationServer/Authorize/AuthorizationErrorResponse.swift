// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// The error page for a request without a client to send the error to (RFC 6749 section 4.1.2.1).
enum AuthorizationErrorResponse {
    static func page(
        for failure: ProtocolFailure,
        title: String = "This sign-in cannot continue",
        _ services: Services
    ) -> HTTPResponse {
        let isServersFault = failure.status >= 500
        let page = ErrorPage(
            serverName: services.configuration.serverName,
            title: isServersFault ? "The server cannot respond right now" : title,
            explanation: isServersFault
                ? "Nothing was lost. Please try again in a moment."
                : "Go back to the app and start again. If it happens again, tell the people who make the app.",
            code: failure.code.rawValue,
            hint: failure.description
        )
        var response = HTTPResponse.page(page.html(), status: failure.status, services)
        if let retry = failure.fields["Retry-After"] { response.fields["Retry-After"] = retry }
        return response
    }
}
