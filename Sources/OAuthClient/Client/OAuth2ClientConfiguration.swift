// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// The settings of a client.
///
/// The defaults are the safe choice.
public struct OAuth2ClientConfiguration: Sendable {
    /// The name of the account; each has its own key and tokens.
    public var account = "default"
    /// How the client authenticates.
    ///
    /// The default sends no secret, as is right for an app on users' devices.
    public var clientAuthentication = ClientAuthentication.none
    /// The `aud` of client assertions, for a server that rejects its issuer identifier there; usually the URL of its
    /// token endpoint.
    ///
    /// By default `nil`, which means the issuer. Do not take the URL from metadata: a malicious server could obtain
    /// assertions that are valid at another server. Where a server needs it, write the URL in the app, and use the key
    /// at no other server.
    public var clientAssertionAudience: String?
    /// The metadata document of a client whose identifier is the URL of that document.
    ///
    /// The client then checks its own settings against the document, and uses only servers whose metadata says that
    /// they read such documents. If the URL was registered with the server by hand, no document is needed: leave it
    /// `nil`.
    public var clientMetadataDocument: ClientMetadataDocument?
    /// The key that signs authorization requests, and when to sign (RFC 9101).
    ///
    /// By default, requests are not signed.
    public var requestObjectSigning: RequestObjectSigning?
    /// The algorithms that are accepted for signed authorization responses, in the response modes of JARM.
    ///
    /// Best set to the one algorithm that is registered as `authorization_signed_response_alg`.
    public var signedResponseAlgorithms: Set<SignatureAlgorithm> = [.es256, .ed25519, .edDSA, .ps256, .rs256]
    /// How long a sign-in may take, from the authorization request to its response.
    public var transactionLifetime = Duration.seconds(600)
    /// How long before its expiry an access token may be refreshed, when a caller asks for it.
    ///
    /// The moment is drawn at random between half of this time and all of it, so that many devices do not refresh at
    /// once.
    public var refreshAhead = Duration.seconds(30)
    /// Whether the client fetches a nonce with a request without a grant when it knows no nonce of the server.
    ///
    /// Set this for servers that consume a code or a refresh token before they check the nonce: there, the repeated
    /// request fails. With other servers it costs one request.
    public var asksForNonceBeforeGrants = false
    /// Whether a session follows redirects of an API to the same scheme, host and port: five at most, each with a new
    /// proof for the new URL (RFC 9449 section 4.3).
    ///
    /// Other redirects are returned to the caller, never followed.
    public var followsRedirectsWithinOneOriginWithNewProofs = false
    /// The origins of the APIs that sessions send access tokens to, such as `https://api.example.com`.
    ///
    /// A request to another origin fails with ``OAuthClientError/Code/originNotAllowed`` before a token is read or a proof made. The
    /// UserInfo endpoint of the server needs no entry. By default `nil`: the app alone decides where its requests go. Set it
    /// where URLs come from elsewhere, such as from data or plug-ins.
    public var allowedOrigins: Set<String>?
    /// How often sessions send a call to an API again after a failure that may pass; by default, never.
    ///
    /// Requests to the authorization server follow rules of their own, whatever is set here.
    public var retries = RetryPolicy.none
    /// The algorithms that are accepted for id_tokens and other signed responses of the server.
    ///
    /// `none` is never accepted, even if it is listed here.
    public var idTokenAlgorithms: Set<SignatureAlgorithm> = [.es256, .es384, .edDSA, .ed25519, .ps256, .rs256]
    /// The client secret that the server uses to compute the MAC of id_tokens, instead of signing them.
    ///
    /// Its algorithm (HS256, HS384 or HS512) is then accepted too. Anyone who knows the secret can make id_tokens.
    public var idTokenKeyMadeOfClientSecret: ClientSecretKey?
    /// The audiences that an id_token may name in addition to this client.
    ///
    /// An id_token with any other audience is rejected (OpenID Connect Core section 3.1.3.7, rule 3).
    public var trustedIDTokenAudiences: Set<String> = []
    /// Whether http is accepted for servers and APIs on `127.0.0.1` and `[::1]`: for tests and development.
    public var allowsInsecureHTTPOnLoopback = false
    /// Whether tokens are bound to a key, to what kind of key, and what happens if binding fails.
    ///
    /// By default tokens must be bound to a P-256 key.
    public var tokenBoundConfiguration: any TokenBoundConfiguration = BoundedTokenConfiguration()
    /// Gets each ``ClientEvent``, for a log or for metrics; none has a secret.
    ///
    /// It is called on the thread where the event happens, off any lock, and must not block. A logger gets
    /// ``ClientEvent/description``.
    public var observer: (@Sendable (ClientEvent) -> Void)?

    /// The rules that the client keeps and requires of the server.
    ///
    /// `nil`, which means only the library's own rules, unless the configuration was made with ``native`` or ``fapi2``.
    public internal(set) var profile: ClientProfile?

    /// Called when the user has signed out, and nothing is left to do for it, now or at a later start.
    var whenSignOutIsDone: (@Sendable () async -> Void)?

    /// Makes a configuration with the safe defaults.
    public init() {}

    /// Accepts http for servers and APIs on `127.0.0.1` and `[::1]`: for tests and development.
    public static var allowingInsecureHTTPOnLoopback: Self {
        var configuration = Self()
        configuration.allowsInsecureHTTPOnLoopback = true
        return configuration
    }
}
