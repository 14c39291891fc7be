// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthCore
import ServerStorage

/// RFC 9700 section 2.2.1: a token that is bound to a key is exchanged with a proof of that key.
///
/// RFC 8693 leaves this open. The one exception needs a permission: the server of the API that the token is for, which
/// has verified the proof that came with it. Exchanging a bound token always results in a token bound to the key of
/// this request.
struct CheckExchangePossession<Stage: ExchangeStage>: Rule {
    let section = "RFC 9700 section 2.2.1"

    func check(_ request: Stage, _ services: Services) throws(ProtocolFailure) {
        let (client, exchange) = (request.client, request.exchange)
        let takesOthers =
            client.tokenExchangeRights.contains(.subjectTokensBoundToKeysOfOthers) && exchange.subject.isFor(client)
        try check(exchange.subject, request.token.proof, takesOthers: takesOthers)
        if let actor = exchange.actor { try check(actor, request.token.proof, takesOthers: false) }
    }

    private func check(
        _ token: ExchangedToken,
        _ proof: VerifiedProof?,
        takesOthers: Bool
    ) throws(ProtocolFailure) {
        guard token.binding != .none else { return }
        guard let proof else {
            throw ProtocolFailure.missingProof("the token is")
        }
        guard takesOthers || token.binding == .key(proof.thumbprint) else {
            throw ProtocolFailure(.invalidRequest, "the token is bound to another key than that of the proof")
        }
    }
}
