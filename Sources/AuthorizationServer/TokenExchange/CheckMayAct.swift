// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// RFC 8693 section 4.4: if the subject token has `may_act`, only the actor it names may exchange the token.
struct CheckMayAct<Stage: ExchangeStage>: Rule {
    let section = "RFC 8693 section 4.4"

    func check(_ request: Stage, _ services: Services) throws(ProtocolFailure) {
        let (client, exchange) = (request.client, request.exchange)
        guard let claim = exchange.subject.claims.object["may_act"], !exchange.isOwn(of: client) else { return }
        // Every member must match, so an unknown member rejects the request.
        let known = [
            "sub": exchange.actorName(client), "client_id": client.clientID,
            "iss": services.configuration.issuer.description,
        ]
        guard let members = claim.objectValue?.members, members.contains(where: { $0.name == "sub" }),
            members.allSatisfy({ member in
                member.value.stringValue.map { known[member.name]?.isIdentical(to: $0) ?? false } ?? false
            })
        else { throw ProtocolFailure(.invalidRequest, "the subject token names another actor in may_act") }
    }
}
