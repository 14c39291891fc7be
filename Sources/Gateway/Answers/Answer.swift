// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// The form of answers that proxies pass on.
enum Answer {
    /// A refusal without a challenge.
    static func refusal(_ status: Int) -> HTTPResponse {
        var fields: HTTPFields = ["Cache-Control": "no-store"]
        if status == 503 { fields["Retry-After"] = "2" }
        return HTTPResponse(status: status, fields: fields)
    }

    /// Adds what every answer about a request has.
    ///
    /// Proxies keep the first of several fields, so challenges become one field (RFC 9110 section 11.6.1). nginx makes 500
    /// of every status but 200, 401 and 403.
    static func complete(_ response: HTTPResponse, status: Int, isNginx: Bool) -> HTTPResponse {
        var answer = response
        let challenges = response.fields.values(for: "WWW-Authenticate")
        if challenges.count > 1 { answer.fields["WWW-Authenticate"] = challenges.joined(separator: ", ") }
        answer.fields["Cache-Control"] = "no-store"
        answer.fields[IdentityFields.status] = String(status)
        answer.body = []
        answer.status = isNginx && ![200, 401, 403].contains(status) ? 401 : status
        return answer
    }
}
