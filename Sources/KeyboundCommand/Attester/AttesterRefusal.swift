// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import StrictJSON

/// Why an attester refuses a request: the code for the app, and the reason for the operator alone.
struct AttesterRefusal: Error {
    /// The value of `error`.
    enum Code: String {
        case invalidRequest = "invalid_request"
        case invalidChallenge = "invalid_challenge"
        case clientRefused = "client_refused"
        case evidenceRefused = "evidence_refused"
        case tooManyRequests = "temporarily_unavailable"
        case failed = "server_error"

        var status: Int {
            switch self {
            case .invalidRequest, .invalidChallenge: 400
            case .clientRefused, .evidenceRefused: 403
            case .tooManyRequests: 429
            case .failed: 503
            }
        }
    }

    let code: Code
    /// Never received text.
    let reason: String
    var retryAfter: Duration?

    init(_ code: Code, _ reason: String, retryAfter: Duration? = nil) {
        (self.code, self.reason, self.retryAfter) = (code, reason, retryAfter)
    }

    var response: HTTPResponse {
        var response = HTTPResponse.attester(["error": .string(code.rawValue)], status: code.status)
        if let wait = retryAfter { response.fields["Retry-After"] = "\(wait.components.seconds + 1)" }
        return response
    }
}

extension HTTPResponse {
    /// A response of an attester, which no cache may keep.
    static func attester(_ object: JSONObject, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: [
                "Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
            ],
            body: JSONValue.object(object).encoded()
        )
    }
}
