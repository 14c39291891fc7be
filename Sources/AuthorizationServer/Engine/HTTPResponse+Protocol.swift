// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import StrictJSON

extension HTTPResponse {
    /// A JSON response that must not be cached (RFC 6749 section 5.1).
    static func json(_ object: JSONObject, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: [
                "Content-Type": "application/json", "Cache-Control": "no-store", "Pragma": "no-cache",
                "X-Content-Type-Options": "nosniff",
            ],
            body: JSONValue.object(object).encoded()
        )
    }

    /// A public JSON document that caches may keep: metadata and keys.
    static func publicJSON(_ object: JSONObject, maximumAge: Duration = .seconds(300)) -> HTTPResponse {
        var response = json(object)
        response.fields["Cache-Control"] = "public, max-age=\(maximumAge.components.seconds)"
        response.fields["Pragma"] = nil
        response.fields["Access-Control-Allow-Origin"] = "*"
        return response
    }

    /// An error response in the format of the token endpoint (RFC 6749 section 5.2).
    static func failure(_ failure: ProtocolFailure) -> HTTPResponse {
        let error = OAuthErrorResponse(failure.code, errorDescription: failure.description)
        var response = json(error.json, status: failure.status)
        for field in failure.fields.all {
            response.fields.append(name: field.name, value: field.value)
        }
        return response
    }

    /// A plain text response.
    static func text(status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: [
                "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff",
            ],
            body: Array(text.utf8)
        )
    }

    /// RFC 9700 section 4.12: 303, so that a browser does not post a password again to the redirect target.
    static func seeOther(_ location: String) -> HTTPResponse {
        HTTPResponse(
            status: 303,
            fields: ["Location": location, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"]
        )
    }
}
