// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import JOSE
public import OAuthCore
public import OAuthSystem

/// A registered client (RFC 7591 section 2).
///
/// A public client, which cannot keep a secret, only sends its `client_id` (RFC 8252 section 8.4); a confidential
/// client has secrets or keys.
public struct RegisteredClient: Sendable, Hashable {
    /// One current secret, and a new one during its rotation.
    package static let maximumSecrets = 2

    /// `client_id`: 1 to 128 visible ASCII characters; 256 if it is the URL of a metadata document.
    public var clientID: String
    /// `client_name`: what the consent page shows.
    public var name: String
    /// `redirect_uris`, each compared byte by byte except for the port of a loopback address.
    public var redirectURIs: [String]
    /// `scope`: what the client may request.
    public var scope: Scope
    /// `dpop_bound_access_tokens`: tokens are issued only with a proof (RFC 9449 section 5.2).
    public var dpopBoundAccessTokens: Bool
    /// `require_pushed_authorization_requests` (RFC 9126 section 6).
    public var requirePushedAuthorizationRequests: Bool
    /// `id_token_signed_response_alg`; `nil` for the server's choice (OpenID Connect Registration section 2).
    public var idTokenSignedResponseAlgorithm: SignatureAlgorithm?
    /// `post_logout_redirect_uris`, compared as redirect URIs are (OpenID Connect RP-Initiated Logout section 3.1).
    public var postLogoutRedirectURIs: [String]
    /// `token_endpoint_auth_method`: the only authentication method of the client, at every endpoint.
    public var tokenEndpointAuthMethod: ClientAuthenticationMethod
    /// `token_endpoint_auth_signing_alg`: the algorithm of its assertions; `nil` for any that its keys allow.
    public var tokenEndpointAuthSigningAlgorithm: SignatureAlgorithm?
    /// The hashes of its secrets, the newest first; at most two, so that one stays in use while the other is changed.
    public var secretHashes: [SecretHash]
    /// `jwks`: its public keys, at most 16.
    public var jwks: JWKSet
    /// `grant_types`: what it may exchange for tokens.
    public var grantTypes: [GrantType]
    /// The audiences (`aud`) whose tokens it may introspect (RFC 7662): those of the APIs that it serves.
    public var introspectionAudiences: [String]
    /// What it may do in a token exchange beyond what is safe for every client.
    public var tokenExchangeRights: [TokenExchangePolicy]
    /// `authorization_details_types`: the types of authorization details that it may request (RFC 9396 section 10).
    public var authorizationDetailTypes: [String] = []
    /// `request_object_signing_alg`: the algorithm of its signed requests; `nil` for any that its keys allow (RFC
    /// 9101).
    public var requestObjectSigningAlgorithm: SignatureAlgorithm?
    /// `require_signed_request_object` (RFC 9101 section 10.5).
    public var requireSignedRequestObject = false
    /// Whether its codes must be bound to a key from the start (RFC 9449 section 10).
    public var dpopBoundAuthorizationCodes = false
    /// When its proofs need a nonce; `nil` for the server's policy.
    public var noncePolicy: DPoPNoncePolicy?
    /// Where it comes from.
    public var origin = ClientOrigin.registeredByOperator
    /// `application_type`; `nil` if its redirect URIs follow no rule of one.
    public var applicationType: ApplicationType?
    /// The origins of its pages, whose scripts may call the server: `https://app.example`, at most 16 (Fetch standard,
    /// CORS protocol).
    public var allowedWebOrigins: [String] = []
    /// When a client that no operator registered is forgotten, unless it gets another token; `nil` for never.
    public var expiresAt: Timestamp?
    /// `first_party`: whether it is an app of the operator, which may ask for the password itself (OAuth 2.0 for
    /// First-Party Applications section 9.1); never of a client that registered itself.
    public var isFirstParty = false
    /// Until when its metadata document need not be fetched again; `nil` for a client without one.
    public var documentExpiresAt: Timestamp?
    /// `jwks_uri`: where its keys are, instead of ``jwks``; only of a client whose metadata document names it.
    public var jwksURI: String?
    /// The last change by ``ClientStore/replace(_:by:)``; `nil` if there was none.
    public var changedBy: WriteAttempt?
    /// When the client was registered.
    public var createdAt: Timestamp
    /// Identifies this registration, as opposed to earlier or later ones of the same `client_id`.
    ///
    /// Base64url, at most 64 characters. With `nil` each client credentials grant of the client is stored; see
    /// ``ClientCredentialsGrantID``.
    public var registrationID: String?
    /// How often all client credentials grants of the client were revoked; the storage counts it.
    public var ownGrantRevocations = 0

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - clientID: 1 to 128 visible ASCII characters.
    ///   - name: The name on the consent page.
    ///   - redirectURIs: Where codes may be sent; at least one.
    ///   - scope: What the client may request.
    ///   - dpopBoundAccessTokens: Whether tokens are issued only with a proof.
    ///   - requirePushedAuthorizationRequests: Whether requests must be pushed.
    ///   - idTokenSignedResponseAlgorithm: The algorithm of ID tokens; `nil` for the server's choice.
    ///   - postLogoutRedirectURIs: Where a user may be sent after signing out.
    ///   - tokenEndpointAuthMethod: How the client authenticates.
    ///   - tokenEndpointAuthSigningAlgorithm: The algorithm of its assertions; `nil` for any that its keys allow.
    ///   - secretHashes: The hashes of its secrets, the newest first; at most two.
    ///   - jwks: Its public keys.
    ///   - grantTypes: What it may exchange for tokens.
    ///   - introspectionAudiences: The audiences whose tokens it may introspect.
    ///   - tokenExchangeRights: What it may do in a token exchange beyond what is safe for every client.
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
        tokenExchangeRights: [TokenExchangePolicy] = [],
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

    /// Whether it authenticates with a secret or a key that it alone has.
    public var hasOwnCredential: Bool {
        [.clientSecretBasic, .clientSecretPost, .privateKeyJWT].contains(tokenEndpointAuthMethod)
    }

    /// Whether each installation of it authenticates with an attestation of its key.
    ///
    /// All installations share the `client_id`, so it has no credential of its own
    /// (draft-ietf-oauth-attestation-based-client-auth-11 section 7.5).
    public var isAttested: Bool { tokenEndpointAuthMethod == .attestationWithDPoP }

    /// Whether the client cannot authenticate (RFC 6749 section 2.1).
    public var isPublic: Bool { tokenEndpointAuthMethod == .none }
}
