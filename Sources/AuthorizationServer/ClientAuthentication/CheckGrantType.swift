// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 6749 section 5.2: the client is registered for the grant type.
///
/// A client without a credential of its own gets neither a client credentials grant (section 4.4) nor a token exchange
/// (RFC 8693 section 5).
struct CheckGrantType<Stage: ClientStage>: Rule {
    let section = "RFC 6749 section 5.2"
    private let grantType: GrantType

    init(_ grantType: GrantType) {
        self.grantType = grantType
    }

    func check(_ request: Stage, _ services: Services) throws(ProtocolFailure) {
        let client = request.client
        guard client.grantTypes.contains(grantType),
            !GrantType.confidential.contains(grantType) || client.hasOwnCredential
        else {
            throw ProtocolFailure(.unauthorizedClient, "the client is not registered for this grant type")
        }
    }
}
