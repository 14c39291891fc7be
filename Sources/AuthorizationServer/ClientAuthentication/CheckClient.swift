// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 6749 section 4.1.1: the client that the browser names is registered.
///
/// Nothing is shown here that a person could read: a secret in the address of a page is a mistake that must not go
/// unnoticed (section 2.3.1). Where clients ask themselves, ``CheckClientAuthentication`` is the check.
struct CheckClient: Check {
    let section = "RFC 6749 section 4.1.1"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        for name in ["client_secret", "client_assertion"] where try request.parameter(name) != nil {
            throw ProtocolFailure(.invalidClient, "no secret belongs into a browser: send client_id only")
        }
        let clientID = try request.requiredParameter("client_id")
        let client = try await services.stored { try await $0.client(clientID) }
        guard let client else { throw ProtocolFailure(.invalidClient, "the client is not registered") }
        request.client = client
    }
}
