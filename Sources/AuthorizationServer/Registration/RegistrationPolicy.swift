// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// The clients that may register themselves: fewer than an operator may register (RFC 7591 sections 2 and 5).
struct RegistrationPolicy {
    /// Metadata with documents that this server would have to fetch, and does not: rejected, not ignored.
    ///
    /// It fetches the metadata document of a client and the key set that this names, nothing else.
    private static let fetched = ["sector_identifier_uri", "request_uris"]
    private static let grantTypes: [GrantType] = [.authorizationCode, .refreshToken]
    private static let maximumURIs = 16
    static let maximumURILength = 2048

    let configuration: ServerConfiguration
    /// What the initial access token of the request allows, or the rules for clients without one.
    let token: RegistrationTokenPolicy
    /// How the client came.
    ///
    /// A document is for every server, and cannot know what this one refuses: of what it lists this server uses what it
    /// has.
    var origin = ClientOrigin.registeredItself
    /// Whether a client that does not say so gets tokens that are bound to a key only.
    var bindsUnlessAsked = true
    /// Whether a client may request more later than it names now, up to what is allowed (RFC 7591 section 3.2.1).
    ///
    /// Clients of the reference SDK for MCP register for the scope of their first request, and ask for more by step-up.
    var registersWholeScope = false

    /// The client that a request describes, still without a secret.
    func client(
        _ request: RegistrationRequest,
        clientID: String,
        at now: Timestamp
    ) throws(ProtocolFailure) -> RegisteredClient {
        let metadata = request.metadata
        try refuseFetchedMembers(metadata)
        let method = metadata.tokenEndpointAuthMethod ?? (origin == .document ? .none : .clientSecretBasic)
        guard origin != .document || [.none, .privateKeyJWT].contains(method) else {
            throw refusal("a client whose metadata everybody can read has no secret")
        }
        // An attester vouches for clients that an operator knows.
        guard configuration.clientAuthenticationMethods.contains(method), method != .attestationWithDPoP else {
            throw refusal("the token_endpoint_auth_method is none of this server's")
        }
        guard metadata.responseTypes?.allSatisfy({ $0 == "code" }) ?? true || readsCode(metadata) else {
            throw refusal("the only response type is 'code'")
        }
        let keys = metadata.jwks ?? JWKSet([])
        guard keys.keys.count == request.keyCount else {
            throw refusal("jwks has a key that is private, symmetric or of an unknown type")
        }
        let redirectURIs = metadata.redirectURIs ?? []
        let type = try applicationType(metadata, redirectURIs)
        var client = RegisteredClient(
            clientID: clientID,
            name: try name(metadata),
            redirectURIs: try addresses(redirectURIs, of: type),
            scope: try scope(metadata),
            dpopBoundAccessTokens: try isBound(request),
            tokenEndpointAuthMethod: method,
            tokenEndpointAuthSigningAlgorithm: try signingAlgorithm(metadata, for: method),
            jwks: keys,
            grantTypes: try grantTypes(metadata),
            createdAt: now
        )
        client.requirePushedAuthorizationRequests = try flag("require_pushed_authorization_requests", in: metadata)
        client.requireSignedRequestObject = try flag("require_signed_request_object", in: metadata)
        client.requestObjectSigningAlgorithm = try text("request_object_signing_alg", in: metadata)
            .map { SignatureAlgorithm(rawValue: $0) }
        client.postLogoutRedirectURIs = try postLogoutAddresses(metadata, of: type)
        client.origin = origin
        client.jwksURI = try keySetURI(metadata, ofDocumentAt: clientID, for: method)
        client.applicationType = type
        if client.isPublic, type == .web { client.allowedWebOrigins = Self.origins(of: redirectURIs) }
        client.idTokenSignedResponseAlgorithm = try text("id_token_signed_response_alg", in: metadata)
            .map { SignatureAlgorithm(rawValue: $0) }
        try checkRequestKeys(of: client, metadata)
        return client
    }

    /// Whether the tokens of the client are bound to a key: always, unless it asks otherwise and both the server and its
    /// initial access token allow that (RFC 9449 section 5.2).
    private func isBound(_ request: RegistrationRequest) throws(ProtocolFailure) -> Bool {
        let isBound = request.dpopBoundAccessTokens ?? bindsUnlessAsked
        guard isBound || (token.allowsBearerTokens && !configuration.requireDPoP) else {
            throw refusal(
                "tokens of clients that register themselves are bound to a key: send dpop_bound_access_tokens as true"
            )
        }
        return isBound
    }

    /// A member of another type is rejected: it must not count as something weaker than what the client asked for.
    private func flag(_ name: String, in metadata: ClientMetadata) throws(ProtocolFailure) -> Bool {
        guard let value = metadata.otherMembers[name] else { return false }
        guard let flag = value.boolValue else { throw refusal("\(name) is neither true nor false") }
        return flag
    }

    private func text(_ name: String, in metadata: ClientMetadata) throws(ProtocolFailure) -> String? {
        guard let value = metadata.otherMembers[name] else { return nil }
        guard let text = value.stringValue else { throw refusal("\(name) is no text") }
        return text
    }

    private func refuseFetchedMembers(_ metadata: ClientMetadata) throws(ProtocolFailure) {
        let isRegistering = origin != .document
        // An empty list names no document.
        let named = Self.fetched.compactMap { metadata.otherMembers[$0] }.filter { $0.arrayValue?.isEmpty != true }
        let isThere = !named.isEmpty || (isRegistering && metadata.jwksURI != nil)
        guard !isThere else {
            throw refusal(
                isRegistering
                    ? "nothing is fetched for a client that registers: send keys as jwks, and requests by PAR"
                    : "nothing that a metadata document names is fetched except jwks_uri: send requests by PAR"
            )
        }
    }

    private func name(_ metadata: ClientMetadata) throws(ProtocolFailure) -> String {
        let name = metadata.clientName ?? "an app without a name"
        do {
            try ClientRules.checkName(name)
        } catch {
            throw refusal(error.reason)
        }
        return name
    }

    /// By OpenID Connect Registration section 2 a client that says nothing is a web app; one with a redirect URI that only
    /// native apps have is one (RFC 8252 section 7), whatever stands beside it.
    private func applicationType(
        _ metadata: ClientMetadata,
        _ redirectURIs: [String]
    ) throws(ProtocolFailure) -> ApplicationType {
        guard let text = try text("application_type", in: metadata) else {
            // The list may have the redirect URIs of an app and of its pages.
            let isWeb = !redirectURIs.isEmpty && redirectURIs.allSatisfy { $0.hasPrefix("https:") }
            return isWeb ? .web : .native
        }
        guard let type = ApplicationType(rawValue: text) else {
            throw refusal("the application_type is neither web nor native")
        }
        return type
    }

    /// The pages of an app in a browser call the server from where they are (Fetch standard, CORS protocol).
    private static func origins(of redirectURIs: [String]) -> [String] {
        Set(redirectURIs.compactMap { (try? URI(parsing: $0))?.origin }).sorted()
    }

    private func addresses(_ texts: [String], of type: ApplicationType) throws(ProtocolFailure) -> [String] {
        guard texts.count <= Self.maximumURIs else {
            throw ProtocolFailure(.invalidRedirectURI, "there are more than \(Self.maximumURIs) redirect URIs")
        }
        for text in texts {
            guard text.utf8.count <= Self.maximumURILength else {
                throw ProtocolFailure(.invalidRedirectURI, "a redirect URI is longer than 2048 bytes")
            }
            do {
                try RedirectURIRules.check(text, of: type)
            } catch {
                throw ProtocolFailure(.invalidRedirectURI, error.reason)
            }
        }
        return texts
    }

    private func postLogoutAddresses(
        _ metadata: ClientMetadata,
        of type: ApplicationType
    ) throws(ProtocolFailure) -> [String] {
        guard let value = metadata.otherMembers["post_logout_redirect_uris"] else { return [] }
        guard let values = value.arrayValue else { throw refusal("post_logout_redirect_uris is no array") }
        let texts = values.compactMap(\.stringValue)
        guard texts.count == values.count else { throw refusal("post_logout_redirect_uris has something else in it") }
        return try addresses(texts, of: type)
    }

    private func scope(_ metadata: ClientMetadata) throws(ProtocolFailure) -> Scope {
        let allowed = (token.scope ?? .aboutWhoTheUserIs).intersection(configuration.existingScope)
        guard let scope = metadata.scope else { return allowed }
        if origin == .document { return scope.intersection(allowed) }
        guard scope.isSubset(of: allowed) else {
            throw refusal("the scope is not within that of the registration token")
        }
        return registersWholeScope ? allowed : scope
    }

    private func signingAlgorithm(
        _ metadata: ClientMetadata,
        for method: ClientAuthenticationMethod
    ) throws(ProtocolFailure) -> SignatureAlgorithm? {
        // A document may name the algorithm of another method that the client has for other servers.
        if origin == .document, method != .privateKeyJWT { return nil }
        guard let text = metadata.tokenEndpointAuthSigningAlg else { return nil }
        let algorithm = SignatureAlgorithm(rawValue: text)
        guard configuration.clientAssertionAlgorithms.contains(algorithm) else {
            throw refusal(
                "the token_endpoint_auth_signing_alg is none of this server's: its metadata list those that it verifies"
            )
        }
        return algorithm
    }

    /// Of the grant types that a client names it gets those that it may register itself for (RFC 7591 section 3.2.1).
    ///
    /// Some clients name all that are in the metadata of the server. The response lists what they got.
    private func grantTypes(_ metadata: ClientMetadata) throws(ProtocolFailure) -> [GrantType] {
        let types = (metadata.grantTypes ?? [GrantType.authorizationCode.rawValue]).map { GrantType(rawValue: $0) }
        guard types.contains(.authorizationCode) else {
            throw refusal("grant_types must contain authorization_code: a client cannot register itself without it")
        }
        return types.filter(Self.grantTypes.contains)
    }

    private func readsCode(_ metadata: ClientMetadata) -> Bool {
        origin == .document && metadata.responseTypes?.contains("code") ?? true
    }

    func refusal(_ reason: String) -> ProtocolFailure {
        ProtocolFailure(.invalidClientMetadata, reason)
    }
}

extension Scope {
    /// What a client may register itself for if its registration token names no scope.
    fileprivate static let aboutWhoTheUserIs = (try? Scope([Scope.openIDName, Scope.profileName])) ?? .empty
}
