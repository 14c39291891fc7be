// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import ServerStorage

/// Whether the configured server can do what a client is registered for.
///
/// If the configuration has no issuer, nothing is known about the server, and nothing is checked.
enum ClientFit {
    /// Rejects a client whose requests the server would refuse.
    ///
    /// - Parameters:
    ///   - client: The client to register.
    ///   - settings: The settings of the server.
    /// - Throws: ``/AuthorizationServer/AuthorizationServerError`` with what to change.
    static func require(_ client: RegisteredClient, _ settings: ServerSettings) throws {
        try configuration(settings)?.requireFit(of: client)
    }

    /// Warns about what the client needs and the configuration lacks.
    static func warn(of client: RegisteredClient, _ settings: ServerSettings, _ console: Console) {
        guard let configuration = configuration(settings) else { return }
        if client.isAttested, !configuration.attesters.contains(where: { $0.clients.contains(client.clientID) }) {
            console.warn(
                "the server rejects this client until 'attesters' of the configuration names a service that attests "
                    + client.clientID
            )
        }
        if client.isFirstParty, !configuration.firstParty.isOn {
            console.warn("this client cannot ask for passwords until 'firstParty' of the configuration is true")
        } else if client.isFirstParty, !client.isAttested, !configuration.firstParty.allowsUnattestedClients {
            console.warn(
                "this client cannot ask for passwords: register it with --auth-method attest_jwt_client_auth_dpop, or set "
                    + "'allowUnattestedFirstParty' in the configuration to true"
            )
        }
        if !client.dpopBoundAccessTokens, configuration.requireDPoP {
            console.warn(
                "the server issues no tokens without a DPoP proof until 'allowBearerTokens' of the configuration is true"
            )
        }
    }

    /// The configuration of the server, as far as this user can read it.
    private static func configuration(_ settings: ServerSettings) -> ServerConfiguration? {
        guard settings.isGiven(.issuer) else { return nil }
        return try? ServerConfiguration(unchecked: settings)
    }
}
#endif
