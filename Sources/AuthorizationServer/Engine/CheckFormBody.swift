// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// RFC 6749 section 3.2 and appendix B: parameters are sent in a form body, each at most once, and none in the query.
struct CheckFormBody: Check {
    let section = "RFC 6749 section 3.2"

    func run(_ request: ReceivedRequest, _ services: Services) throws(ProtocolFailure) -> FormRequest {
        // Section 2.3.1: queries end up in logs and browser histories.
        guard request.http.query == nil else {
            throw ProtocolFailure(.invalidRequest, "parameters belong in the body, not in the query")
        }
        let parameters = try FormBody.parameters(of: request.http)
        guard !parameters.hasRepetition else {
            throw ProtocolFailure(.invalidRequest, "a parameter occurs more than once")
        }
        return FormRequest(request, parameters)
    }
}
