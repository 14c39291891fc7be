// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 9126 sections 5 and 6: a server or client may allow pushed requests only.
struct CheckPushedRequestRequired: Check {
    let section = "RFC 9126 section 5"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        let client = try request.established(request.client)
        let isRequired =
            services.configuration.requirePushedAuthorizationRequests || client.requirePushedAuthorizationRequests
        guard !isRequired else {
            throw ProtocolFailure(.invalidRequest, "the authorization request must be pushed (PAR)")
        }
    }
}
