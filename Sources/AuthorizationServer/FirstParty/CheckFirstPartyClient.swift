// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// OAuth 2.0 for First-Party Applications sections 9.1 and 9.4: the operator has registered the client as one of its own,
/// and it proves to be that app.
struct CheckFirstPartyClient<Stage: ClientStage>: Rule {
    let section = "OAuth 2.0 for First-Party Applications section 9.1"

    func check(_ request: Stage, _ services: Services) throws(ProtocolFailure) {
        let client = request.client
        guard client.isFirstParty,
            client.isAttested || services.configuration.firstParty.allowsUnattestedClients
        else {
            throw ProtocolFailure(.unauthorizedClient, "the client may not ask for passwords: use the browser")
        }
    }
}
