// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import JOSE
import OAuthCore
import OAuthStorage

/// `keybound client add`.
enum AddClient: Command {
    private static let name = Option.value(
        "--name",
        "NAME",
        "what the consent page calls it; the client_id unless given"
    )
    private static let redirectURI = Option.list(
        "--redirect-uri",
        "URI",
        "where codes may be sent; http://127.0.0.1/... stands for any port"
    )
    private static let scope = Option.list(
        "--scope",
        "SCOPE",
        "what it may ask for; every configured scope unless given"
    )
    private static let identifier = Option.value("--id", "CLIENT_ID", "its client_id; a random one unless given")
    private static let requirePush = Option.flag(
        "--require-pushed-authorization-requests",
        "accept its authorization requests only when they were pushed (RFC 9126)"
    )

    private static let idTokenAlgorithm = Option.value(
        "--id-token-alg",
        "ALG",
        "what its id_tokens are signed with: RS256 or ES256; RS256 unless given"
    )
    private static let postLogoutRedirectURI = Option.list(
        "--post-logout-redirect-uri",
        "URI",
        "where a person may be sent after signing out"
    )

    static let syntax = CommandSyntax(
        "client add",
        "register an app",
        details: [
            "The client is a public one: it has no secret, PKCE and DPoP protect it. The server may run meanwhile. Prints "
                + "the client_id."
        ],
        options: [
            name, redirectURI, scope, identifier, requirePush, idTokenAlgorithm, postLogoutRedirectURI,
        ] + OperatorCommand.options + [.json],
        examples: [
            .init(
                "A command-line tool, such as keybound itself",
                "keybound client add --name 'My tool' --redirect-uri http://127.0.0.1/callback --scope api:read"
            ),
            .init(
                "A mobile app",
                "keybound client add --name 'My app' --redirect-uri com.example.app:/callback --scope api:read"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let client = try client(arguments, settings)
        try await OperatorCommand.administering(settings, console) { administration in
            try await administration.addClient(client)
        }
        if arguments.has(.json) {
            console.printJSON(client.json)
        } else {
            console.print(client.clientID)
            console.note("registered \(client.name), for \(client.scope.isEmpty ? "no scopes" : "\(client.scope)")")
        }
    }

    private static func client(_ arguments: ParsedArguments, _ settings: ServerSettings) throws -> RegisteredClient {
        let redirectURIs = arguments.values(redirectURI)
        guard !redirectURIs.isEmpty else {
            throw CommandFailure.usage(
                "--redirect-uri is missing",
                hint: "command-line and desktop apps use http://127.0.0.1/callback"
            )
        }
        let clientID = arguments.value(identifier) ?? SystemEntropy().bytes(12).hexadecimal
        return RegisteredClient(
            clientID: clientID,
            name: arguments.value(name) ?? clientID,
            redirectURIs: redirectURIs,
            scope: try scope(arguments, configured: ServerConfiguration.scopes(settings).map(\.name)),
            requirePushedAuthorizationRequests: arguments.has(requirePush),
            idTokenSignedResponseAlgorithm: try idTokenAlgorithm(arguments),
            postLogoutRedirectURIs: arguments.values(postLogoutRedirectURI),
            createdAt: SystemWallClock().now()
        )
    }

    private static func idTokenAlgorithm(_ arguments: ParsedArguments) throws -> SignatureAlgorithm? {
        guard let text = arguments.value(idTokenAlgorithm) else { return nil }
        guard let algorithm = ServerKey.idTokenAlgorithms.first(where: { $0.rawValue == text }) else {
            throw CommandFailure.usage("--id-token-alg is neither RS256 nor ES256")
        }
        return algorithm
    }

    private static func scope(_ arguments: ParsedArguments, configured: [String]) throws -> Scope {
        let asked = arguments.values(scope).flatMap { $0.split(separator: " ").map(String.init) }
        guard !asked.isEmpty else { return try Scope(configured) }
        // Without a configuration file at hand nothing is known of the scopes.
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

extension RegisteredClient {
    /// The client with the names of RFC 7591.
    var json: JSONValue {
        var object: JSONObject = [
            "client_id": .string(clientID), "client_name": .string(name), "redirect_uris": .strings(redirectURIs),
            "scope": .string(scope.description), "dpop_bound_access_tokens": .bool(dpopBoundAccessTokens),
            "require_pushed_authorization_requests": .bool(requirePushedAuthorizationRequests),
        ]
        object["id_token_signed_response_alg"] = idTokenSignedResponseAlgorithm.map { .string($0.rawValue) }
        if !postLogoutRedirectURIs.isEmpty { object["post_logout_redirect_uris"] = .strings(postLogoutRedirectURIs) }
        return .object(object)
    }
}

extension [UInt8] {
    /// Two digits for each byte.
    fileprivate var hexadecimal: String {
        map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
#endif
