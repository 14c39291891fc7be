// SPDX-License-Identifier: Apache-2.0

/// RFC 8693 section 2.1: the actor token is an active access token of this server, issued to this client.
struct CheckActorToken: Check {
    let section = "RFC 8693 section 2.1"

    func run(
        _ request: Found<ExchangeRequest, ExchangedToken>,
        _ services: Services
    ) throws(ProtocolFailure) -> ExchangeRequest {
        var checked = request.base
        guard try checked.presentedToken("actor_token") != nil else { return checked }
        guard let token = request.value, token.isOf(checked.client) else { throw CheckSubjectToken.refused }
        checked.exchange.actor = token
        return checked
    }
}
