// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 6454 section 7: a script acts only as a client that is registered for its origin.
///
/// ``CrossOriginAccess`` has removed the field of origins that no client is registered for.
struct CheckWebOrigin<Stage: ClientStage>: Rule {
    let section = "RFC 6454 section 7"

    func check(_ request: Stage, _ services: Services) throws(ProtocolFailure) {
        guard let origin = request.http.fields["Origin"] else { return }
        guard request.client.allowedWebOrigins.contains(where: { $0.isIdentical(to: origin) }) else {
            throw .webOriginRejected
        }
    }
}

extension ProtocolFailure {
    /// The client is not registered for the origin of the request.
    static let webOriginRejected = ProtocolFailure(
        .invalidRequest,
        "this client is not registered for the web origin of the request",
        status: 403
    )
}
