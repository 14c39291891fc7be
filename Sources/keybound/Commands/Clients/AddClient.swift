// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage

/// `keybound client add`.
enum AddClient: Command {
    private static let name = Option.value(
        "--name",
        "NAME",
        "the name shown on the consent page (default: the client_id)"
    )
    private static let redirectURI = Option.list(
        "--redirect-uri",
        "URI",
        "a redirect URI for codes; http://127.0.0.1/... matches any port"
    )
    private static let scope = Option.list(
        "--scope",
        "SCOPE",
        "a scope that it may request (default: every configured scope)"
    )
    private static let identifier = Option.value("--id", "CLIENT_ID", "its client_id (default: a random one)")
    private static let requirePush = Option.flag(
        "--require-pushed-authorization-requests",
        "accept only its pushed authorization requests (RFC 9126)"
    )

    private static let idTokenAlgorithm = Option.value(
        "--id-token-alg",
        "ALG",
        "the signature algorithm of its id_tokens: RS256 or ES256 (default: RS256)"
    )
    private static let postLogoutRedirectURI = Option.list(
        "--post-logout-redirect-uri",
        "URI",
        "a URI to which the browser may be redirected after sign-out"
    )

    static let syntax = CommandSyntax(
        "client add",
        "register an app",
        details: [
            "By default the client is public: it has no secret and is protected by PKCE and DPoP. The server may be "
                + "running. Prints the client_id and, on a second line, the secret of a client that has one. Only a "
                + "hash of the secret is stored, so it is shown only once."
        ],
        options: [
            name, redirectURI, scope, identifier, requirePush, idTokenAlgorithm, postLogoutRedirectURI,
        ] + ClientCredentialOptions.all + ClientRequestOptions.all + OperatorCommand.options + [.json],
        examples: [
            .init(
                "A command-line tool, such as keybound itself",
                "keybound client add --name 'My tool' --redirect-uri http://127.0.0.1/callback --scope api:read"
            ),
            .init(
                "A mobile app",
                "keybound client add --name 'My app' --redirect-uri com.example.app:/callback --scope api:read"
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
        var client = try client(arguments, settings)
        let secret = try await OperatorCommand.administering(settings, console) { administration in
            let secret = ClientCredentialOptions.needsSecret(client) ? administration.makeClientSecret() : nil
            client.secretHashes = secret.map { [SecretHash(of: $0.value)] } ?? []
            try await administration.addClient(client)
            return secret
        }
        if arguments.has(.json) {
            console.printJSON(client.json(showing: secret))
        } else {
            console.print(client.clientID)
            if let secret { console.print(secret.value) }
            console.note("registered \(client.name), for \(client.scope.isEmpty ? "no scopes" : "\(client.scope)")")
        }
    }

    private static func client(_ arguments: ParsedArguments, _ settings: ServerSettings) throws -> RegisteredClient {
        let redirectURIs = arguments.values(redirectURI)
        let grantTypes = try ClientCredentialOptions.grantTypes(arguments)
        guard !redirectURIs.isEmpty || !grantTypes.contains(.authorizationCode) else {
            throw CommandFailure.usage(
                "--redirect-uri is missing",
                hint: "command-line and desktop apps use http://127.0.0.1/callback"
            )
        }
        let clientID = arguments.value(identifier) ?? SystemEntropy().bytes(12).hexadecimal
        var client = RegisteredClient(
            clientID: clientID,
            name: arguments.value(name) ?? clientID,
            redirectURIs: redirectURIs,
            scope: try scope(arguments, configured: ServerConfiguration.scopes(settings).map(\.name)),
            requirePushedAuthorizationRequests: arguments.has(requirePush),
            idTokenSignedResponseAlgorithm: try idTokenAlgorithm(arguments),
            postLogoutRedirectURIs: arguments.values(postLogoutRedirectURI),
            tokenEndpointAuthMethod: try ClientCredentialOptions.method(arguments),
            tokenEndpointAuthSigningAlgorithm: try ClientCredentialOptions.signingAlgorithm(arguments),
            jwks: try ClientCredentialOptions.keys(arguments),
            grantTypes: grantTypes,
            introspectionAudiences: arguments.values(ClientCredentialOptions.introspectionAudience),
            tokenExchangeRights: try ClientCredentialOptions.exchangeRights(arguments),
            createdAt: SystemWallClock().now()
        )
        try ClientRequestOptions.apply(arguments, to: &client)
        return client
    }

    private static func idTokenAlgorithm(_ arguments: ParsedArguments) throws -> SignatureAlgorithm? {
        guard let text = arguments.value(idTokenAlgorithm) else { return nil }
        guard let algorithm = ServerKeys.idTokenAlgorithms.first(where: { $0.rawValue == text }) else {
            throw CommandFailure.usage("--id-token-alg is neither RS256 nor ES256")
        }
        return algorithm
    }

    private static func scope(_ arguments: ParsedArguments, configured: [String]) throws -> Scope {
        let asked = arguments.values(scope).flatMap { $0.split(separator: " ").map(String.init) }
        guard !asked.isEmpty else { return try Scope(configured) }
        // Without a configuration file the configured scopes are unknown.
        if !configured.isEmpty, let unknown = asked.first(where: { !configured.contains($0) }) {
            throw CommandFailure.usage(
                "the scope '\(unknown)' is not configured",
                hint: "configured are \(configured.joined(separator: ", "))"
            )
        }
        do {
            return try Scope(asked)
        } catch {
            throw CommandFailure.usage("--scope: \(error.reason)")
        }
    }
}

extension [UInt8] {
    /// Two digits for each byte.
    fileprivate var hexadecimal: String {
        map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
#endif
