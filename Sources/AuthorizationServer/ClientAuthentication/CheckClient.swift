// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import ServerStorage

/// RFC 6749 section 4.1.1: the `client_id` of the browser's request is registered.
///
/// A request with a client secret in its address is rejected, so that this mistake does not go unnoticed (section
/// 2.3.1). At endpoints that clients call directly, ``CheckClientAuthentication`` runs instead.
struct CheckClient: Check {
    let section = "RFC 6749 section 4.1.1"

    /// What a client authenticates with (RFC 6749 section 2.3.1, RFC 7521 section 4.2).
    private static let secrets = ["client_secret", "client_assertion"]

    func run(
        _ request: Found<FormRequest, NamedClient>,
        _ services: Services
    ) throws(ProtocolFailure) -> ClientRequest {
        _ = try Self.clientID(in: request.base)
        guard let found = request.value else {
            throw ProtocolFailure(.invalidClient, "the client is not registered")
        }
        RequestTrace.current?.clientID = found.client.clientID
        return ClientRequest(
            request.base,
            found.client,
            keys: found.client.keys(fetched: found.fetchedKeys),
            from: found.browser
        )
    }

    /// The `client_id` of a request without a secret.
    static func clientID(in request: FormRequest) throws(ProtocolFailure) -> String {
        try refuseSecret(in: request.parameters)
        return try request.requiredParameter("client_id")
    }

    /// Rejects parameters from a browser that include a secret; an empty value is treated as omitted (section 3.1).
    static func refuseSecret(in parameters: FormParameters) throws(ProtocolFailure) {
        guard secrets.allSatisfy({ parameters.values(for: $0).allSatisfy(\.isEmpty) }) else {
            throw ProtocolFailure(.invalidClient, "a browser cannot keep a secret: send only client_id")
        }
    }
}
