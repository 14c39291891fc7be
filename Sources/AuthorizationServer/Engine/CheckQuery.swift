// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// RFC 6749 section 3.1: the parameters of an authorization request are in the query, each at most once.
struct CheckQuery: Check {
    let section = "RFC 6749 section 3.1"

    func run(_ request: ReceivedRequest, _ services: Services) throws(ProtocolFailure) -> FormRequest {
        let parameters: FormParameters
        do {
            parameters = try FormParameters(decoding: request.http.query ?? "", maximumCount: 64)
        } catch {
            throw ProtocolFailure(.invalidRequest, "the query is not a form: \(error.reason)")
        }
        guard !parameters.hasRepetition else {
            throw ProtocolFailure(.invalidRequest, "a parameter occurs more than once")
        }
        return FormRequest(request, parameters)
    }
}
