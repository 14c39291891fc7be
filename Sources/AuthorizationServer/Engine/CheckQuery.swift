// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// RFC 6749 section 3.1: the parameters of an authorization request come in the query, each once.
struct CheckQuery: Check {
    let section = "RFC 6749 section 3.1"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        do {
            request.parameters = try FormParameters(decoding: request.http.query ?? "", maximumCount: 64)
        } catch {
            throw ProtocolFailure(.invalidRequest, "the query is not a form: \(error.reason)")
        }
        guard !request.parameters.hasRepetition else {
            throw ProtocolFailure(.invalidRequest, "a parameter occurs more than once")
        }
    }
}
