// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// OpenID Connect Core section 3.1.2.1: `max_age` is a number of seconds; the session is checked later, in the browser.
struct CheckMaxAge: Check {
    let section = "OpenID Connect Core section 3.1.2.1"

    func run(
        _ request: consuming DraftAuthorizationRequest,
        _ services: Services
    ) throws(ProtocolFailure) -> DraftAuthorizationRequest {
        guard let text = try request.parameter("max_age") else { return request }
        // Nine digits are thirty years.
        guard text.utf8.count <= 9, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int64(text)
        else {
            throw ProtocolFailure(.invalidRequest, "the max_age is not a number of seconds")
        }
        request.authorization.authentication.maxAge = .seconds(seconds)
        return request
    }
}
