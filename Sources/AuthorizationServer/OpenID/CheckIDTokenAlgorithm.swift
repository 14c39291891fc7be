// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// OpenID Connect Registration section 2: there is a key for the algorithm that the client is registered for.
struct CheckIDTokenAlgorithm<Stage: ScopeStage>: Rule {
    let section = "OpenID Connect Registration section 2"

    func check(_ request: Stage, _ services: Services) throws(ProtocolFailure) {
        guard request.scope.isForOpenID else { return }
        guard services.idTokens.key(for: request.client) != nil else {
            throw ProtocolFailure(.unauthorizedClient, "the server has no key for the id_token_signed_response_alg")
        }
    }
}
