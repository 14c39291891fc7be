// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage

/// `keybound client add`.
enum AddClient: Command {
    static let identifier = Option.value("--id", "CLIENT_ID", "its client_id", default: "a random one")

    static let syntax = CommandSyntax(
        "client add",
        "register an app",
        details: [
            "By default the client is public: it has no secret and is protected by PKCE and DPoP. The server may be "
                + "running. Prints the client_id and, on a second line, the secret of a client that has one. Only a "
                + "hash of the secret is stored, so it is shown only once."
        ],
        options: ClientMetadataOptions.all + [identifier] + ClientCredentialOptions.all + ClientRequestOptions.all
            + OperatorCommand.options + [.json],
        examples: [
            .init(
                "A command-line tool, such as keybound itself",
                "keybound client add --name 'My tool' --redirect-uri http://127.0.0.1/callback --scope api:read"
            ),
            .init(
                "An app of one page, in a browser",
                "keybound client add --name 'My page' --application-type web --redirect-uri https://app.example/callback "
                    + "--allowed-web-origin https://app.example --scope api:read"
            ),
            .init(
                "A mobile app",
                "keybound client add --name 'My app' --redirect-uri com.example.app:/callback --scope api:read"
            ),
            .init(
                "A mobile app whose copies an attester vouches for",
                "keybound client add --id notes-app --redirect-uri com.example.notes:/callback --scope api:read "
                    + "--auth-method attest_jwt_client_auth_dpop"
            ),
            .init(
                "A service that acts on its own behalf, with a key",
                "keybound client add --id billing --auth-method private_key_jwt --jwks billing.jwks "
                    + "--grant-type client_credentials --scope api:read"
            ),
            .init(
                "An app without a browser, such as one for a terminal or a television",
                "keybound client add --name 'My television' --grant-type device_code --grant-type refresh_token "
                    + "--scope api:read"
            ),
            .init(
                "An API that introspects the tokens it receives",
                "keybound client add --id notes-api --auth-method client_secret_basic "
                    + "--introspection-audience https://notes.example.com"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let client = try client(arguments, settings)
        let secret = try await register(client, settings, console)
        if arguments.has(.json) {
            console.printJSON(client.json(showing: secret))
        } else {
            console.print(client.clientID)
            if let secret { console.print(secret.value) }
            ClientMetadataOptions.warn(of: client, console)
            ClientFit.warn(of: client, settings, console)
            console.note("registered \(client.name), for \(client.scope.isEmpty ? "no scopes" : "\(client.scope)")")
        }
    }

    /// Registers a client in the database of the settings; returns its secret, if it has one.
    static func register(
        _ client: RegisteredClient,
        _ settings: ServerSettings,
        _ console: Console
    ) async throws -> ClientSecret? {
        try await OperatorCommand.administering(settings, console) { administration in
            var client = client
            let secret = ClientCredentialOptions.needsSecret(client) ? administration.makeClientSecret() : nil
            client.secretHashes = secret.map { [SecretHash(of: $0.value)] } ?? []
            try await administration.addClient(client)
            return secret
        }
    }

    /// The client that the options describe.
    static func client(_ arguments: ParsedArguments, _ settings: ServerSettings) throws -> RegisteredClient {
        let grantTypes = try ClientCredentialOptions.grantTypes(arguments)
        guard arguments.has(ClientMetadataOptions.redirectURI) || !grantTypes.contains(.authorizationCode) else {
            throw CommandFailure.usage(
                "--redirect-uri is missing",
                hint: "command-line and desktop apps use http://127.0.0.1/callback"
            )
        }
        let clientID = arguments.value(identifier) ?? SystemEntropy().bytes(12).hexadecimal
        var client = RegisteredClient(
            clientID: clientID,
            name: clientID,
            redirectURIs: [],
            scope: try Scope(ServerConfiguration.scopes(settings).map(\.name)),
            tokenEndpointAuthMethod: try ClientCredentialOptions.method(arguments),
            tokenEndpointAuthSigningAlgorithm: try ClientCredentialOptions.signingAlgorithm(arguments),
            jwks: try ClientCredentialOptions.keys(arguments),
            grantTypes: grantTypes,
            introspectionAudiences: arguments.values(ClientCredentialOptions.introspectionAudience),
            tokenExchangeRights: try ClientCredentialOptions.exchangeRights(arguments),
            createdAt: SystemWallClock().now()
        )
        try ClientMetadataOptions.apply(arguments, settings, to: &client)
        try ClientRequestOptions.apply(arguments, to: &client)
        try ClientFit.require(client, settings)
        return client
    }
}
#endif
