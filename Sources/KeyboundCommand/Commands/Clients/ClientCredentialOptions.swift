// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthCore
import ServerStorage
import StrictJSON

/// The options of `keybound client add` about client authentication, and what the client may do with it.
enum ClientCredentialOptions {
    private static let authMethod = Option.value(
        "--auth-method",
        "METHOD",
        "how it authenticates: none, client_secret_basic, client_secret_post, private_key_jwt, or "
            + "attest_jwt_client_auth_dpop by attestation",
        default: "none"
    )
    static let jwks = Option.value(
        "--jwks",
        "FILE",
        "its public keys as a JWK set, for private_key_jwt and signed requests"
    )
    private static let grantType = Option.list(
        "--grant-type",
        "TYPE",
        "a grant type that it may use, such as client_credentials, device_code or token-exchange",
        default: "authorization_code and refresh_token"
    )
    private static let exchangeRight = Option.list(
        "--token-exchange-right",
        "RIGHT",
        "an extra right in token exchange, beyond what every client may do; see docs/grants.md"
    )
    static let introspectionAudience = Option.list(
        "--introspection-audience",
        "URI",
        "the API that it is: it may introspect access tokens for this audience"
    )

    private static let authAlgorithm = Option.value(
        "--auth-signing-alg",
        "ALG",
        "the signature algorithm of its assertions, for private_key_jwt",
        default: "any that its keys allow"
    )

    static let all = [authMethod, jwks, authAlgorithm, grantType, introspectionAudience, exchangeRight]

    private static let methods: [ClientAuthenticationMethod] = [
        .none, .clientSecretBasic, .clientSecretPost, .privateKeyJWT, .attestationWithDPoP,
    ]

    static func method(_ arguments: ParsedArguments) throws -> ClientAuthenticationMethod {
        guard let text = arguments.value(authMethod) else { return .none }
        guard let method = methods.first(where: { $0.rawValue == text }) else {
            throw CommandFailure.usage(
                "--auth-method is not a known method",
                hint: "known are \(methods.map(\.rawValue).joined(separator: ", "))"
            )
        }
        return method
    }

    /// The algorithm of its assertions.
    static func signingAlgorithm(_ arguments: ParsedArguments) throws -> SignatureAlgorithm? {
        guard let text = arguments.value(authAlgorithm) else { return nil }
        let algorithm = SignatureAlgorithm(rawValue: text)
        guard SignatureAlgorithm.all.contains(algorithm) else {
            throw CommandFailure.usage("--auth-signing-alg is not a signature algorithm such as ES256")
        }
        guard try method(arguments) == .privateKeyJWT else {
            throw CommandFailure.usage("--auth-signing-alg is for clients with --auth-method private_key_jwt")
        }
        return algorithm
    }

    static func needsSecret(_ client: RegisteredClient) -> Bool {
        [.clientSecretBasic, .clientSecretPost].contains(client.tokenEndpointAuthMethod)
    }

    /// Short names for grant types whose names are URNs.
    private static let shortNames: [String: GrantType] = ["device_code": .deviceCode, "token-exchange": .tokenExchange]

    static func exchangeRights(_ arguments: ParsedArguments) throws -> [TokenExchangePolicy] {
        let rights = arguments.values(exchangeRight).map { TokenExchangePolicy(rawValue: $0) }
        guard rights.allSatisfy(TokenExchangePolicy.all.contains) else {
            throw CommandFailure.usage(
                "--token-exchange-right is not a known right",
                hint: "known are \(TokenExchangePolicy.all.map(\.rawValue).joined(separator: ", "))"
            )
        }
        return rights
    }

    /// An API that only introspects tokens needs no grant type.
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
        // A JWK set drops keys that it cannot use; the operator must be told.
        guard !keys.keys.isEmpty, keys.keys.count == object["keys"]?.arrayValue?.count else {
            throw CommandFailure.usage(
                "--jwks: \(SafeText.of(path)) contains a private key, or one that is not for verifying signatures",
                hint: "give only the client's public keys"
            )
        }
        return keys
    }
}
#endif
