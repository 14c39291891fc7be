// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 9449 section 10: a server or client may allow only codes that are bound to a key from the beginning.
struct CheckBoundCodeRequired: Check {
    let section = "RFC 9449 section 10"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        let client = try request.established(request.client)
        guard services.configuration.requireBoundAuthorizationCodes || client.dpopBoundAuthorizationCodes else {
            return
        }
        guard request.dpopThumbprint != nil else {
            throw ProtocolFailure(
                .invalidRequest,
                "the code must be bound to a key: send dpop_jkt, or push the request with a DPoP proof"
            )
        }
    }
}
