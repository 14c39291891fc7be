// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 9449 section 10: a server or client may require that authorization codes are bound to a key.
///
/// Codes of an attested client always are, so that another installation cannot redeem them
/// (draft-ietf-oauth-attestation-based-client-auth-11 section 10.3).
struct CheckBoundCodeRequired<Stage: AuthorizationStage>: Rule {
    let section = "RFC 9449 section 10"

    func check(_ request: Stage, _ services: Services) throws(ProtocolFailure) {
        let client = request.client
        guard services.requiresBoundCodes(of: client) || client.isAttested else { return }
        guard request.authorization.dpopThumbprint != nil else {
            throw ProtocolFailure(
                .invalidRequest,
                "the code must be bound to a key: send dpop_jkt, or push the request with a DPoP proof"
            )
        }
    }
}

extension Services {
    /// Whether codes of a client must be bound to a key from the start.
    func requiresBoundCodes(of client: RegisteredClient) -> Bool {
        configuration.requireBoundAuthorizationCodes || client.dpopBoundAuthorizationCodes
    }
}
