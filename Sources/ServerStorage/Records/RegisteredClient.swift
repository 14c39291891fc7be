// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import JOSE
public import OAuthCore
public import OAuthSystem

/// A client that may ask for tokens (RFC 7591 section 2).
///
/// A public one, which runs where no secret can be kept, names itself only (RFC 8252 section 8.4); a confidential one has
/// secrets or keys of its own.
public struct RegisteredClient: Sendable, Hashable {
    /// One, and another while the first is being changed.
    package static let maximumSecrets = 2

    /// `client_id`: 1 to 128 visible ASCII characters.
    public var clientID: String
    /// `client_name`: what the consent page shows.
    public var name: String
    /// `redirect_uris`, each compared byte by byte, but for the port of a loopback address.
    public var redirectURIs: [String]
    /// `scope`: what the client may ask for.
    public var scope: Scope
    /// `dpop_bound_access_tokens`: tokens are given out only with a proof (RFC 9449 section 5.2).
    public var dpopBoundAccessTokens: Bool
    /// `require_pushed_authorization_requests` (RFC 9126 section 6).
    public var requirePushedAuthorizationRequests: Bool
    /// `id_token_signed_response_alg`; the server's own choice when `nil` (OpenID Connect Registration section 2).
    public var idTokenSignedResponseAlgorithm: SignatureAlgorithm?
    /// `post_logout_redirect_uris`, compared as redirect URIs are (OpenID Connect RP-Initiated Logout section 3.1).
    public var postLogoutRedirectURIs: [String]
    /// `token_endpoint_auth_method`: the one way in which the client shows who it is, at every endpoint.
    public var tokenEndpointAuthMethod: ClientAuthenticationMethod
    /// `token_endpoint_auth_signing_alg`: what its assertions are signed with; what its keys allow when `nil`.
    public var tokenEndpointAuthSigningAlgorithm: SignatureAlgorithm?
    /// The hashes of its secrets, the newest first; two at most, so that one can be changed while the other is in use.
    public var secretHashes: [SecretHash]
    /// `jwks`: the public keys that it signs with, 16 at most.
    public var jwks: JWKSet
    /// `grant_types`: what it may exchange for tokens.
    public var grantTypes: [GrantType]
    /// The audiences (`aud`) whose tokens it may ask about (RFC 7662): those of the APIs that it is the server of.
    public var introspectionAudiences: [String]
    /// What it may do in a token exchange beyond what is safe for everybody.
    public var tokenExchangeRights: [TokenExchangeRight]
    /// `authorization_details_types`: the types of authorization details that it may ask for (RFC 9396 section 10).
    public var authorizationDetailTypes: [String] = []
    /// `request_object_signing_alg`: what its signed requests are signed with; what its keys allow when `nil` (RFC 9101).
    public var requestObjectSigningAlgorithm: SignatureAlgorithm?
    /// `require_signed_request_object` (RFC 9101 section 10.5).
    public var requireSignedRequestObject = false
    /// Whether its codes must be bound to a key from the beginning (RFC 9449 section 10).
    public var dpopBoundAuthorizationCodes = false
    /// When its proofs need a nonce; as the server has it for everybody when `nil`.
    public var noncePolicy: DPoPNoncePolicy?
    /// When the client was registered.
    public var createdAt: Timestamp
    /// Names this registration, and no earlier or later one of the same `client_id`: base64url, at most 64 characters.
    ///
    /// With `nil` each grant that the client has for itself is stored; see ``OwnGrantID``.
    public var registrationID: String?
    /// How often all grants that the client has for itself were revoked; storage counts it.
    public var ownGrantRevocations = 0

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - clientID: 1 to 128 visible ASCII characters.
    ///   - name: What the consent page shows.
    ///   - redirectURIs: Where codes may be sent; at least one.
    ///   - scope: What the client may ask for.
    ///   - dpopBoundAccessTokens: Whether tokens are given out only with a proof.
    ///   - requirePushedAuthorizationRequests: Whether requests must be pushed.
    ///   - idTokenSignedResponseAlgorithm: What id_tokens are signed with; the server's own choice when `nil`.
    ///   - postLogoutRedirectURIs: Where a person may be sent after signing out.
    ///   - tokenEndpointAuthMethod: How the client shows who it is.
    ///   - tokenEndpointAuthSigningAlgorithm: What its assertions are signed with; what its keys allow when `nil`.
    ///   - secretHashes: The hashes of its secrets, the newest first; two at most.
    ///   - jwks: The public keys that it signs with.
    ///   - grantTypes: What it may exchange for tokens.
    ///   - introspectionAudiences: The audiences whose tokens it may ask about.
    ///   - tokenExchangeRights: What it may do in a token exchange beyond what is safe for everybody.
    ///   - createdAt: When the client was registered.
    public init(
        clientID: String,
        name: String,
        redirectURIs: [String],
        scope: Scope,
        dpopBoundAccessTokens: Bool = true,
        requirePushedAuthorizationRequests: Bool = false,
        idTokenSignedResponseAlgorithm: SignatureAlgorithm? = nil,
        postLogoutRedirectURIs: [String] = [],
        tokenEndpointAuthMethod: ClientAuthenticationMethod = .none,
        tokenEndpointAuthSigningAlgorithm: SignatureAlgorithm? = nil,
        secretHashes: [SecretHash] = [],
        jwks: JWKSet = JWKSet([]),
        grantTypes: [GrantType] = [.authorizationCode, .refreshToken],
        introspectionAudiences: [String] = [],
        tokenExchangeRights: [TokenExchangeRight] = [],
        createdAt: Timestamp
    ) {
        self.clientID = clientID
        self.name = name
        self.redirectURIs = redirectURIs
        self.scope = scope
        self.dpopBoundAccessTokens = dpopBoundAccessTokens
        self.requirePushedAuthorizationRequests = requirePushedAuthorizationRequests
        self.idTokenSignedResponseAlgorithm = idTokenSignedResponseAlgorithm
        self.postLogoutRedirectURIs = postLogoutRedirectURIs
        self.tokenEndpointAuthMethod = tokenEndpointAuthMethod
        self.tokenEndpointAuthSigningAlgorithm = tokenEndpointAuthSigningAlgorithm
        self.secretHashes = secretHashes
        self.jwks = jwks
        self.grantTypes = grantTypes
        self.introspectionAudiences = introspectionAudiences
        self.tokenExchangeRights = tokenExchangeRights
        self.createdAt = createdAt
    }

    /// Whether the client has nothing to show who it is with (RFC 6749 section 2.1).
    public var isPublic: Bool { tokenEndpointAuthMethod == .none }
}
