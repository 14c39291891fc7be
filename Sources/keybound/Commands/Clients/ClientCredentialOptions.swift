// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthCore
import ServerStorage
import StrictJSON

/// What `keybound client add` asks about how a client shows who it is, and what it may do with that.
enum ClientCredentialOptions {
    private static let authMethod = Option.value(
        "--auth-method",
        "METHOD",
        "how it shows who it is: none, client_secret_basic, client_secret_post or private_key_jwt; none unless given"
    )
    private static let jwks = Option.value(
        "--jwks",
        "FILE",
        "its public keys as a JWK set, for private_key_jwt and signed requests"
    )
    private static let grantType = Option.list(
        "--grant-type",
        "TYPE",
        "what it exchanges for tokens, such as client_credentials, device_code or token-exchange; authorization_code and "
            + "refresh_token unless given"
    )
    private static let exchangeRight = Option.list(
        "--token-exchange-right",
        "RIGHT",
        "what it may do in a token exchange beyond what is safe for everybody; docs/grants.md says when"
    )
    static let introspectionAudience = Option.list(
        "--introspection-audience",
        "URI",
        "the API that it is: it may ask about access tokens for this audience"
    )

    private static let authAlgorithm = Option.value(
        "--auth-signing-alg",
        "ALG",
        "what its assertions are signed with, for private_key_jwt; what its keys allow unless given"
    )

    static let all = [authMethod, jwks, authAlgorithm, grantType, introspectionAudience, exchangeRight]

    private static let methods: [ClientAuthenticationMethod] = [
        .none, .clientSecretBasic, .clientSecretPost, .privateKeyJWT,
    ]

    static func method(_ arguments: ParsedArguments) throws -> ClientAuthenticationMethod {
        guard let text = arguments.value(authMethod) else { return .none }
        guard let method = methods.first(where: { $0.rawValue == text }) else {
            throw CommandFailure.usage(
                "--auth-method is not one that there is",
                hint: "there are \(methods.map(\.rawValue).joined(separator: ", "))"
            )
        }
        return method
    }

    /// The one algorithm of its assertions.
    static func signingAlgorithm(_ arguments: ParsedArguments) throws -> SignatureAlgorithm? {
        guard let text = arguments.value(authAlgorithm) else { return nil }
        let algorithm = SignatureAlgorithm(rawValue: text)
        guard SignatureAlgorithm.all.contains(algorithm) else {
            throw CommandFailure.usage("--auth-signing-alg is no signature, such as ES256")
        }
        guard try method(arguments) == .privateKeyJWT else {
            throw CommandFailure.usage("--auth-signing-alg is for clients with --auth-method private_key_jwt")
        }
        return algorithm
    }

    static func needsSecret(_ client: RegisteredClient) -> Bool {
        [.clientSecretBasic, .clientSecretPost].contains(client.tokenEndpointAuthMethod)
    }

    /// The ends of the names that are URNs.
    private static let shortNames: [String: GrantType] = ["device_code": .deviceCode, "token-exchange": .tokenExchange]

    static func exchangeRights(_ arguments: ParsedArguments) throws -> [TokenExchangeRight] {
        let rights = arguments.values(exchangeRight).map { TokenExchangeRight(rawValue: $0) }
        guard rights.allSatisfy(TokenExchangeRight.all.contains) else {
            throw CommandFailure.usage(
                "--token-exchange-right is not one that there is",
                hint: "there are \(TokenExchangeRight.all.map(\.rawValue).joined(separator: ", "))"
            )
        }
        return rights
    }

    /// An API that only asks about tokens exchanges nothing.
    static func grantTypes(_ arguments: ParsedArguments) throws -> [GrantType] {
        let given = arguments.values(grantType).map { shortNames[$0] ?? GrantType(rawValue: $0) }
        guard given.isEmpty else { return given }
        return arguments.values(introspectionAudience).isEmpty ? [.authorizationCode, .refreshToken] : []
    }

    static func keys(_ arguments: ParsedArguments) throws -> JWKSet {
        guard let path = arguments.value(jwks) else { return JWKSet([]) }
        let bytes = try InputFile.read(path, limit: 262_144)
        guard let object = try? JSONValue(parsing: bytes, limits: JSONLimits(maximumSize: 262_144)).objectValue,
            let keys = try? JWKSet(parsing: object)
        else {
            throw CommandFailure.usage("--jwks: \(SafeText.of(path)) is not a JWK set", hint: #"{ "keys": [ ... ] }"#)
        }
        // A set leaves out what it cannot use: an operator must hear of it.
        guard !keys.keys.isEmpty, keys.keys.count == object["keys"]?.arrayValue?.count else {
            throw CommandFailure.usage(
                "--jwks: \(SafeText.of(path)) holds a key that is not for verifying signatures, or a private one",
                hint: "a client hands over its public keys only"
            )
        }
        return keys
    }
}
#endif
