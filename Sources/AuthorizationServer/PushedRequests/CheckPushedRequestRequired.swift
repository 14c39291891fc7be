// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 9126 sections 5 and 6: a server or client may require pushed authorization requests.
struct CheckPushedRequestRequired: Rule {
    let section = "RFC 9126 section 5"

    func check(_ request: ClientRequest, _ services: Services) throws(ProtocolFailure) {
        let isRequired =
            services.configuration.requirePushedAuthorizationRequests
            || request.client.requirePushedAuthorizationRequests
        guard !isRequired else {
            throw ProtocolFailure(.invalidRequest, "the authorization request must be pushed (PAR)")
        }
    }
}
