// SPDX-License-Identifier: Apache-2.0

/// RFC 8693 section 2.1: the actor token is an access token of this server, in force, and was given out to this client.
struct CheckActorToken: Check {
    let section = "RFC 8693 section 2.1"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        guard let token = try await request.presentedToken("actor_token", services) else { return }
        guard token.isOf(try request.established(request.client)) else { throw CheckSubjectToken.refused }
        request.exchange?.actor = token
    }
}
