// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthCore
import ServerStorage

/// Consistency rules for the metadata of a client (RFC 7591 section 2).
enum ClientRules {
    /// The supported client authentication methods.
    static let methods: [ClientAuthenticationMethod] = [
        .none, .clientSecretBasic, .clientSecretPost, .privateKeyJWT, .attestationWithDPoP,
    ]

    private static let grantTypes: Set<GrantType> = [
        .authorizationCode, .refreshToken, .clientCredentials, .deviceCode, .tokenExchange,
    ]

    /// The grants that come with a refresh token; a client credentials grant must not (RFC 6749 section 4.4.3).
    private static let refreshable: Set<GrantType> = [.authorizationCode, .deviceCode]

    /// Checks a client.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - isNew: Whether it is registered now; `false` if it is changed, which its grant types cannot be.
    /// - Throws: ``AuthorizationServerError/Code/invalidValue``.
    static func check(
        _ client: RegisteredClient,
        isNew: Bool = true
    ) throws(AuthorizationServerError) {
        let isVisible: (UInt8) -> Bool = { $0 > 0x20 && $0 < 0x7F }
        let longest = client.origin == .document ? ClientDocumentURL.maximumLength : 128
        guard (1...longest).contains(client.clientID.utf8.count), client.clientID.utf8.allSatisfy(isVisible) else {
            throw refusal("a client_id has 1 to 128 visible ASCII characters")
        }
        try checkName(client.name)
        try checkAddresses(of: client)
        try checkCredentials(of: client)
        try checkGrantTypes(of: client)
        // Earlier versions registered such clients, and their other grant types work: everything else of them can be changed.
        if isNew { try checkRefresh(of: client) }
        try checkFirstParty(client)
        let algorithms = [
            client.idTokenSignedResponseAlgorithm, client.tokenEndpointAuthSigningAlgorithm,
            client.requestObjectSigningAlgorithm,
        ]
        guard algorithms.compactMap(\.self).allSatisfy(SignatureAlgorithm.all.contains) else {
            throw refusal("what id_tokens, assertions and requests are signed with is a signature, such as RS256")
        }
    }

    /// Checks that the consent page can show a name.
    static func checkName(_ name: String) throws(AuthorizationServerError) {
        let hasControls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard (1...128).contains(name.utf8.count), !hasControls else {
            throw refusal("a client_name has 1 to 128 bytes, and no control characters")
        }
    }

    private static func checkAddresses(of client: RegisteredClient) throws(AuthorizationServerError) {
        guard !client.redirectURIs.isEmpty || !client.grantTypes.contains(.authorizationCode) else {
            throw refusal("a client with the grant type authorization_code needs a redirect URI")
        }
        for uri in client.redirectURIs { try RedirectURIRules.check(uri, of: client.applicationType) }
        for uri in client.postLogoutRedirectURIs { try RedirectURIRules.check(uri, of: client.applicationType) }
        try WebOriginRules.check(client.allowedWebOrigins)
    }

    private static func checkCredentials(of client: RegisteredClient) throws(AuthorizationServerError) {
        guard methods.contains(client.tokenEndpointAuthMethod) else {
            throw refusal("clients authenticate by one of \(methods.map(\.rawValue).joined(separator: ", "))")
        }
        let usesSecret = [.clientSecretBasic, .clientSecretPost].contains(client.tokenEndpointAuthMethod)
        guard
            usesSecret
                ? (1...RegisteredClient.maximumSecrets).contains(client.secretHashes.count)
                : client.secretHashes.isEmpty
        else {
            throw refusal("a client that authenticates by a secret has one, or two, and no other client has any")
        }
        try checkKeys(of: client)
        try checkAttestation(of: client)
        let requestAlgorithm = client.requestObjectSigningAlgorithm
        guard requestAlgorithm == nil || client.hasKey(for: requestAlgorithm) else {
            throw refusal("no key of the client (jwks) is for its request_object_signing_alg: change one of them")
        }
        guard !client.requireSignedRequestObject || client.hasKey(for: nil) else {
            throw refusal("a client that must sign its requests has 1 to 16 public keys (jwks)")
        }
    }

    private static func checkKeys(of client: RegisteredClient) throws(AuthorizationServerError) {
        let needsKeys = client.tokenEndpointAuthMethod == .privateKeyJWT
        guard client.jwksURI == nil else {
            guard client.origin == .document, needsKeys, client.jwks.keys.isEmpty else {
                throw refusal(
                    "jwks_uri is only for clients that sign assertions and have a metadata document: use jwks"
                )
            }
            return
        }
        guard needsKeys ? !client.jwks.keys.isEmpty : true, client.jwks.keys.count <= 16 else {
            throw refusal("a client that signs assertions has 1 to 16 public keys (jwks)")
        }
        let algorithm = client.tokenEndpointAuthSigningAlgorithm
        guard !needsKeys || client.hasKey(for: algorithm) else {
            throw refusal("no key of the client (jwks) is for its token_endpoint_auth_signing_alg: change one of them")
        }
    }

    /// draft-ietf-oauth-attestation-based-client-auth-11 section 7.3: each request has a proof with a nonce.
    private static func checkAttestation(of client: RegisteredClient) throws(AuthorizationServerError) {
        guard client.isAttested else { return }
        guard client.dpopBoundAccessTokens, client.noncePolicy ?? .required == .required else {
            throw refusal(
                "tokens of an attested client are bound to its key, and its proofs need a nonce: set neither otherwise"
            )
        }
    }

    /// OAuth 2.0 for First-Party Applications sections 9.1 and 9.5.
    private static func checkFirstParty(_ client: RegisteredClient) throws(AuthorizationServerError) {
        guard client.isFirstParty else { return }
        guard client.origin == .registeredByOperator else {
            throw refusal("only an operator registers first-party apps")
        }
        guard client.grantTypes.contains(.authorizationCode), client.dpopBoundAccessTokens,
            client.dpopBoundAuthorizationCodes, client.noncePolicy ?? .required == .required
        else {
            throw refusal(
                "a first-party app gets codes and tokens for its key alone, and its proofs need a nonce: set none of "
                    + "these otherwise"
            )
        }
    }

    private static func checkGrantTypes(of client: RegisteredClient) throws(AuthorizationServerError) {
        guard !client.grantTypes.isEmpty || !client.introspectionAudiences.isEmpty,
            client.grantTypes.allSatisfy(grantTypes.contains)
        else {
            let known = grantTypes.map(\.rawValue).sorted().joined(separator: ", ")
            throw refusal("a client has at least one of the grant types \(known), unless it only introspects tokens")
        }
        guard
            client.hasOwnCredential
                || (GrantType.confidential.isDisjoint(with: client.grantTypes) && client.introspectionAudiences.isEmpty)
        else {
            throw refusal(
                "client credentials, token exchange and introspection are for clients with a secret or a key of their "
                    + "own (RFC 6749 section 4.4)"
            )
        }
        try checkTokenExchange(of: client)
    }

    private static func checkRefresh(of client: RegisteredClient) throws(AuthorizationServerError) {
        guard !client.grantTypes.contains(.refreshToken) || !refreshable.isDisjoint(with: client.grantTypes) else {
            throw refusal(
                "no grant type of the client gives refresh tokens: add authorization_code or device_code, or leave "
                    + "refresh_token out (RFC 6749 section 4.4.3)"
            )
        }
    }

    private static func checkTokenExchange(of client: RegisteredClient) throws(AuthorizationServerError) {
        guard client.tokenExchangeRights.allSatisfy(TokenExchangePolicy.all.contains) else {
            let known = TokenExchangePolicy.all.map(\.rawValue).sorted().joined(separator: ", ")
            throw refusal("a client has an unknown right for token exchange: the rights are \(known)")
        }
        guard client.tokenExchangeRights.isEmpty || client.grantTypes.contains(.tokenExchange) else {
            throw refusal("rights for token exchange need the grant type token-exchange")
        }
    }

    private static func refusal(_ reason: String) -> AuthorizationServerError {
        AuthorizationServerError(.invalidValue, reason)
    }
}

extension RegisteredClient {
    /// Whether one of its keys can sign by an algorithm; with `nil`, by any.
    ///
    /// Those at a `jwks_uri` are not known before there is a signature.
    fileprivate func hasKey(for algorithm: SignatureAlgorithm?) -> Bool {
        guard jwksURI == nil else { return true }
        return algorithm.map { algorithm in jwks.keys.contains { $0.fits(algorithm) } } ?? !jwks.keys.isEmpty
    }
}
