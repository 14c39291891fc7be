// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import OAuthSystem

/// The rules of each profile, in the order in which they are checked.
extension ClientProfile {
    typealias ClientRule = ProfileRule<ProfiledClient>
    typealias ServerRule = ProfileRule<ProfiledServer>

    var clientRules: [ClientRule] { self == .fapi2 ? Self.fapi2Client : Self.nativeClient }
    var serverRules: [ServerRule] { self == .fapi2 ? Self.fapi2Server : Self.nativeServer }

    private static let nativeClient: [ClientRule] = [
        ClientRule(.publicClient, "RFC 8252 section 8.4", "what runs on users' devices keeps no secret") {
            $0.configuration.clientAuthentication.method == .none
        },
        ClientRule(.boundTokens, "RFC 9700 section 2.2", "tokens are bound to a key, without a fallback") {
            $0.binding?.fallback == .fail
        },
        ClientRule(
            .redirectURI,
            "RFC 8252 section 7",
            "the redirect URI is https, http on 127.0.0.1 or [::1], or has a scheme with a dot"
        ) { $0.hasRedirectURIOfItsOwn },
    ]

    private static let nativeServer: [ServerRule] = [
        // A server without the member may advertise support in a way of its own; what the metadata does not show, this
        // profile does not assume.
        ServerRule(.s256CodeChallenge, "RFC 9700 section 2.1.1", "the metadata names the code challenge method S256") {
            !$0.usesAuthorizationEndpoint || $0.metadata.codeChallengeMethodsSupported?.contains("S256") == true
        },
        ServerRule(.issuerOfResponses, "RFC 9207 section 3", "the metadata says that answers have 'iss'") {
            !$0.usesAuthorizationEndpoint || $0.metadata.authorizationResponseIssParameterSupported
        },
        ServerRule(
            .serverBindsTokens,
            "RFC 9449 section 5.1",
            "the metadata names the algorithm of this client's DPoP proofs"
        ) { $0.bindsTokens },
    ]

    /// FAPI 2.0 section 5.4.1: the algorithms for all JWTs of client and server.
    static let signatureAlgorithms: Set<SignatureAlgorithm> = [.ps256, .es256, .edDSA, .ed25519]

    private static let fapi2Client: [ClientRule] = [
        ClientRule(
            .strongClientAuthentication,
            "FAPI 2.0 section 5.3.3.1 (2)",
            "the client authenticates itself with private_key_jwt or a certificate"
        ) { $0.authenticatesWithCertificate || $0.configuration.clientAuthentication.method == .privateKeyJWT },
        ClientRule(
            .assertionAudience,
            "FAPI 2.0 section 5.3.3.1 (5)",
            "the audience of client assertions is the issuer"
        ) { $0.configuration.clientAssertionAudience?.isIdentical(to: $0.issuer) != false },
        ClientRule(
            .boundTokens,
            "FAPI 2.0 section 5.3.3.1 (1)",
            "tokens are bound with DPoP, without a fallback, or to the client's certificate"
        ) { client in client.binding.map { $0.fallback == .fail } ?? client.authenticatesWithCertificate },
        ClientRule(
            .signatureAlgorithm,
            "FAPI 2.0 section 5.4.1 (1)",
            "what the client signs, and what it accepts as signed, is signed with PS256, ES256 or Ed25519"
        ) {
            $0.algorithms.isSubset(of: signatureAlgorithms) && $0.configuration.idTokenKeyMadeOfClientSecret == nil
        },
        ClientRule(
            .redirectURI,
            "FAPI 2.0 section 5.3.2.2 (8)",
            "the redirect URI is https, http on 127.0.0.1 or [::1], or has a scheme with a dot"
        ) { $0.hasRedirectURIOfItsOwn },
        ClientRule(.tls, "FAPI 2.0 section 5.2.1", "every connection is secured with TLS") {
            !$0.configuration.allowsInsecureHTTPOnLoopback
        },
        ClientRule(.noRedirects, "a rule of this library", "a token goes to the URL that the app named, and no further")
        {
            !$0.configuration.followsRedirectsWithinOneOriginWithNewProofs
        },
    ]

    private static let fapi2Server: [ServerRule] = [
        ServerRule(
            .pushedAuthorizationRequests,
            "FAPI 2.0 section 5.3.2.2 (2)",
            "the metadata names an endpoint for pushed authorization requests"
        ) { !$0.usesAuthorizationEndpoint || $0.metadata.pushedAuthorizationRequestEndpoint != nil },
        ServerRule(
            .s256CodeChallenge,
            "FAPI 2.0 section 5.3.2.2 (5)",
            "the metadata names the code challenge method S256"
        ) { !$0.usesAuthorizationEndpoint || $0.metadata.codeChallengeMethodsSupported?.contains("S256") == true },
        ServerRule(
            .issuerOfResponses,
            "FAPI 2.0 section 5.3.2.2 (7)",
            "the metadata says that answers have 'iss'"
        ) { !$0.usesAuthorizationEndpoint || $0.metadata.authorizationResponseIssParameterSupported },
        ServerRule(
            .serverAuthenticatesClients,
            "FAPI 2.0 section 5.3.2.1 (6)",
            "the metadata names this client's authentication method for the token endpoint"
        ) { server in
            // An absent member does not mean unknown: it means client_secret_basic (RFC 8414 section 2).
            let method = server.client.configuration.clientAuthentication.method.rawValue
            return server.metadata.tokenEndpointAuthMethodsSupported?.contains(method) == true
        },
        ServerRule(
            .serverBindsTokens,
            "FAPI 2.0 section 5.3.2.1 (5)",
            "the metadata says that tokens are bound with DPoP and this client's algorithm, or to certificates"
        ) { $0.bindsTokens },
    ]
}
