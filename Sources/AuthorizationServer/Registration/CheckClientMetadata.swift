// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// RFC 7591 sections 2 and 5: a client registers only for what this server supports, and without documents to fetch.
struct CheckClientMetadata: Check {
    let section = "RFC 7591 section 2"

    func run(
        _ request: RegistrationTokenRequest,
        _ services: Services
    ) throws(ProtocolFailure) -> ClientRegistrationRequest {
        let isOpen = request.token.hash == nil
        let policy = RegistrationPolicy(
            configuration: services.configuration,
            token: request.token.policy,
            bindsUnlessAsked: !isOpen || !request.token.policy.allowsBearerTokens,
            registersWholeScope: isOpen
        )
        var client = try policy.client(
            RegistrationRequest(request.received.http),
            clientID: Base64URL.encode(services.entropy.bytes(16)),
            at: request.received.now
        )
        do {
            try services.configuration.requireFit(of: client)
        } catch {
            throw ProtocolFailure(.invalidClientMetadata, error.reason)
        }
        guard client.idTokenSignedResponseAlgorithm == nil || services.idTokens.key(for: client) != nil else {
            throw ProtocolFailure(.invalidClientMetadata, "id_tokens are not signed by that algorithm")
        }
        if isOpen { client.expiresAt = request.received.now + UnregisteredClients.firstLifetime }
        RequestTrace.current?.clientID = client.clientID
        return ClientRegistrationRequest(client: client, token: request.token.hash, now: request.received.now)
    }
}
