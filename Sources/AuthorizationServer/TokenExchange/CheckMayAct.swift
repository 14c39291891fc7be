// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// RFC 8693 section 4.4: when the subject token says who may act, nobody else does.
struct CheckMayAct: Check {
    let section = "RFC 8693 section 4.4"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        let (client, exchange) = (try request.established(request.client), try request.established(request.exchange))
        guard let claim = exchange.subject.claims.object["may_act"], !exchange.isOwn(of: client) else { return }
        // Every member has to be right, so one that is not known here refuses.
        let known = [
            "sub": exchange.actorName(client), "client_id": client.clientID,
            "iss": services.configuration.issuer.description,
        ]
        guard let members = claim.objectValue?.members, members.contains(where: { $0.name == "sub" }),
            members.allSatisfy({ member in
                member.value.stringValue.map { known[member.name]?.isIdentical(to: $0) ?? false } ?? false
            })
        else { throw ProtocolFailure(.invalidRequest, "the subject token names somebody else who may act") }
    }
}
