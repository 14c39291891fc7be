// SPDX-License-Identifier: Apache-2.0

import DPoP
import ServerStorage

/// The DPoP nonces of the server as authorization server and as resource server, derived from the same secrets.
struct ServerNonces: Sendable {
    let authorizationServer: DPoPNonceIssuer
    /// For the userinfo endpoint.
    let resourceServer: DPoPNonceIssuer

    init(_ secrets: [DPoPNonceSecret]) throws(AuthorizationServerError) {
        guard !secrets.isEmpty, secrets.allSatisfy(\.isStrong) else {
            throw AuthorizationServerError(
                .invalidConfiguration,
                "nonces are made with secrets of 32 bytes, one at least"
            )
        }
        authorizationServer = DPoPNonceIssuer(role: .authorizationServer, secrets: secrets)
        resourceServer = DPoPNonceIssuer(role: .resourceServer, secrets: secrets)
    }

    func use(_ secrets: [DPoPNonceSecret]) {
        authorizationServer.use(secrets)
        resourceServer.use(secrets)
    }
}
