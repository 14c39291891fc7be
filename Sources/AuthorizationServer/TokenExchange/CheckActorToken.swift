// SPDX-License-Identifier: Apache-2.0

/// RFC 8693 section 2.1: the actor token is an active access token of this server, issued to this client.
struct CheckActorToken: Verification {
    let section = "RFC 8693 section 2.1"

    func run(
        _ request: ExchangeRequest,
        _ services: Services
    ) async throws(ProtocolFailure) -> ExchangeRequest {
        guard let text = try request.presentedToken("actor_token") else { return request }
        guard let token = try await ExchangedToken(text, request.actorRead, services, at: request.now),
            token.isOf(request.client)
        else { throw CheckSubjectToken.refused }
        var checked = request
        checked.exchange.actor = token
        return checked
    }
}
