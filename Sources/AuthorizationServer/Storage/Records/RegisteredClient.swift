// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthCore

/// A client that may ask for tokens (RFC 7591 section 2): a public client, which has no secret (RFC 8252 section 8.4).
public struct RegisteredClient: Sendable, Hashable {
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
    /// When the client was registered.
    public var createdAt: Timestamp

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
        self.createdAt = createdAt
    }
}
