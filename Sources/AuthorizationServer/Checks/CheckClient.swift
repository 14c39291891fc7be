// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// RFC 6749 sections 2.3 and 3.2.1: the client is registered, and identifies itself the way it is registered for.
///
/// Every client is a public one: it has no secret, so sending one is a mistake that must not go unnoticed. The answer is 401
/// only to an `Authorization` field (RFC 6749 section 5.2): a 401 must say how to authenticate (RFC 9110 section 15.5.2),
/// and a public client cannot.
struct CheckClient: Check {
    let section = "RFC 6749 section 3.2.1"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        for name in ["client_secret", "client_assertion"] where try request.parameter(name) != nil {
            throw ProtocolFailure(.invalidClient, "this client has no secret: send client_id only")
        }
        guard request.http.fields["Authorization"] == nil else {
            throw ProtocolFailure(
                .invalidClient,
                "this client has no secret: send client_id in the body",
                status: 401,
                fields: ["WWW-Authenticate": "Basic realm=\"clients\""]
            )
        }
        let clientID = try request.requiredParameter("client_id")
        let client = try await services.stored { try await $0.client(clientID) }
        guard let client else { throw ProtocolFailure(.invalidClient, "the client is not registered") }
        request.client = client
    }
}
