// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import JOSE
import OAuthCore
import ServerStorage

/// The options of `keybound client add` and `keybound client set` about what a client is.
enum ClientMetadataOptions {
    static let name = Option.value(
        "--name",
        "NAME",
        "the name shown on the consent page",
        default: "the client_id"
    )
    static let redirectURI = Option.list(
        "--redirect-uri",
        "URI",
        "a redirect URI for codes; http://127.0.0.1/... matches any port"
    )
    static let postLogoutRedirectURI = Option.list(
        "--post-logout-redirect-uri",
        "URI",
        "a URI to which the browser may be redirected after sign-out; compared exactly, with the port"
    )
    static let scope = Option.list(
        "--scope",
        "SCOPE",
        "a scope that it may request",
        default: "every configured scope"
    )
    static let idTokenAlgorithm = Option.value(
        "--id-token-alg",
        "ALG",
        "the signature algorithm of its id_tokens: RS256 or ES256",
        default: "RS256"
    )
    static let applicationType = Option.value(
        "--application-type",
        "TYPE",
        "where it runs: native also allows http://localhost, web allows only https",
        default: "neither rule"
    )
    static let webOrigin = Option.list(
        "--allowed-web-origin",
        "ORIGIN",
        "an origin whose scripts may call the server as this client, such as https://app.example (CORS)"
    )

    private static let noPostLogoutRedirectURI = Option.flag(
        "--no-post-logout-redirect-uri",
        "remove every URI to which the browser may be redirected after sign-out"
    )
    private static let noWebOrigin = Option.flag(
        "--no-allowed-web-origin",
        "remove every origin, so that no script may call the server as this client"
    )

    /// What `client set` takes besides: options that empty a list.
    static let removals = [noPostLogoutRedirectURI, noWebOrigin]

    static let all = [name, redirectURI, scope, idTokenAlgorithm, postLogoutRedirectURI, applicationType, webOrigin]

    /// Changes what an option was given for, and nothing else.
    static func apply(
        _ arguments: ParsedArguments,
        _ settings: ServerSettings,
        to client: inout RegisteredClient
    ) throws {
        if let name = arguments.value(name) { client.name = name }
        let lists: [(Option, WritableKeyPath<RegisteredClient, [String]>)] = [
            (redirectURI, \.redirectURIs), (postLogoutRedirectURI, \.postLogoutRedirectURIs),
            (webOrigin, \.allowedWebOrigins),
        ]
        for (option, path) in lists where arguments.has(option) { client[keyPath: path] = arguments.values(option) }
        if arguments.has(scope) { client.scope = try scope(arguments, settings) }
        if let type = try type(arguments) { client.applicationType = type }
        if let algorithm = try algorithm(arguments) { client.idTokenSignedResponseAlgorithm = algorithm }
    }

    /// Empties the lists for which an option says so.
    static func empty(_ arguments: ParsedArguments, in client: inout RegisteredClient) throws {
        if try isEmptied(noPostLogoutRedirectURI, arguments, or: postLogoutRedirectURI) {
            client.postLogoutRedirectURIs = []
        }
        if try isEmptied(noWebOrigin, arguments, or: webOrigin) { client.allowedWebOrigins = [] }
    }

    /// Whether an option empties a list; values for the list at the same time would say nothing clear.
    static func isEmptied(_ removal: Option, _ arguments: ParsedArguments, or list: Option) throws -> Bool {
        guard arguments.has(removal) else { return false }
        guard !arguments.has(list) else {
            throw CommandFailure.usage("\(list.name) and \(removal.name) exclude each other")
        }
        return true
    }

    /// Says what is risky about a redirect URI (RFC 8252 section 8.3).
    static func warn(of client: RegisteredClient, _ console: Console) {
        if client.isFirstParty {
            console.warn(
                "users of this client are never asked for consent when they sign in inside the app: register only apps "
                    + "that you publish yourself"
            )
        }
        guard client.redirectURIs.contains(where: { $0.hasPrefix("http://localhost") }) else { return }
        console.warn(
            "localhost may be another interface, or blocked by a firewall; http://127.0.0.1 is safer "
                + "(RFC 8252 section 8.3)"
        )
    }

    private static func scope(_ arguments: ParsedArguments, _ settings: ServerSettings) throws -> Scope {
        let asked = arguments.values(scope).flatMap { $0.split(separator: " ").map(String.init) }
        try refuseUnknown(asked, settings)
        do {
            return try Scope(asked)
        } catch {
            throw CommandFailure.usage("--scope: \(error.reason)")
        }
    }

    /// Refuses a scope that is not configured, if the settings have scopes.
    static func refuseUnknown(_ asked: [String], _ settings: ServerSettings) throws {
        let configured = try ServerConfiguration.scopes(settings).map(\.name)
        // Without a configuration file the configured scopes are unknown.
        guard !configured.isEmpty, let unknown = asked.first(where: { !configured.contains($0) }) else { return }
        throw CommandFailure.usage(
            "the scope '\(SafeText.of(unknown))' is not configured",
            hint: "configured are \(configured.joined(separator: ", "))"
        )
    }

    private static func type(_ arguments: ParsedArguments) throws -> ApplicationType? {
        guard let text = arguments.value(applicationType) else { return nil }
        guard let type = ApplicationType(rawValue: text) else {
            throw CommandFailure.usage("--application-type is neither web nor native")
        }
        return type
    }

    private static func algorithm(_ arguments: ParsedArguments) throws -> SignatureAlgorithm? {
        guard let text = arguments.value(idTokenAlgorithm) else { return nil }
        guard let algorithm = ServerKeys.idTokenAlgorithms.first(where: { $0.rawValue == text }) else {
            throw CommandFailure.usage("--id-token-alg is neither RS256 nor ES256")
        }
        return algorithm
    }
}
#endif
