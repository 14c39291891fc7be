// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// OpenID Connect Core section 3.1.2.1, RP-Initiated Logout section 2: `id_token_hint` is an ID token of this server,
/// issued to the client that sends it; it may have expired.
struct CheckIDTokenHint<Stage: HintedStage>: Check {
    let section = "OpenID Connect Core section 3.1.2.1"

    func run(_ request: Stage, _ services: Services) throws(ProtocolFailure) -> Stage.Hinted {
        guard let text = try request.parameter("id_token_hint") else { return request.hinted(by: nil) }
        guard let hint = services.idTokens.hint(text) else {
            throw ProtocolFailure(.invalidRequest, "the id_token_hint is not an id_token of this server")
        }
        let clientID = try request.parameter("client_id")
        guard clientID?.isIdentical(to: hint.clientID) ?? true else {
            throw ProtocolFailure(.invalidRequest, "the id_token_hint was given out to another client")
        }
        return request.hinted(by: hint)
    }
}
