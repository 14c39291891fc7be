// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// What a client may be told; the defaults are the safe choice.
public struct OAuth2ClientConfiguration: Sendable {
    /// The name of the account; each has its own key and tokens.
    public var account = "default"
    /// How the client shows who it is; nothing secret by default, as is right for what runs on users' devices.
    public var clientAuthentication = ClientAuthentication.none
    /// The `aud` of client assertions, for a server that refuses its issuer identifier there; mostly the URL of its token
    /// endpoint.
    ///
    /// Leave it `nil`, which is the issuer: with a URL out of metadata, a malicious server could get assertions that are good
    /// at another one. Where it is needed, write the URL down, and use the key at no other server.
    public var clientAssertionAudience: String?
    /// What the client publishes about itself, where its identifier is the URL of that.
    ///
    /// The client then checks that it is what the document says, and uses a server only that says in its metadata that it
    /// reads such documents. A server where such a URL was registered by hand needs no document: leave it `nil`.
    public var clientMetadataDocument: ClientMetadataDocument?
    /// The key that authorization requests are signed with, and when (RFC 9101); never unless set.
    public var requestObjectSigning: RequestObjectSigning?
    /// What the server may sign answers with, in the response modes of JARM: best the one algorithm that is registered as
    /// `authorization_signed_response_alg`.
    public var signedResponseAlgorithms: Set<SignatureAlgorithm> = [.es256, .ed25519, .edDSA, .ps256, .rs256]
    /// How long a sign-in may take, from the authorization request to its answer.
    public var transactionLifetime = Duration.seconds(600)
    /// How long before its end an access token is renewed at the earliest, when one is asked for; the moment is drawn between
    /// half of it and all of it, so that many devices do not come at once.
    public var refreshAhead = Duration.seconds(30)
    /// Whether a request without a grant is sent first when no nonce of the server is known.
    ///
    /// Some servers spend a code or a refresh token before they look at the nonce, so that the retry comes too late: for
    /// those. With others it costs a request.
    public var asksForNonceBeforeGrants = false
    /// Whether a session follows redirects of an API to the same scheme, host and port, five at most, each with a new proof
    /// for the new URL (RFC 9449 section 4.3); others are returned, never followed.
    public var followsRedirectsWithinOneOriginWithNewProofs = false
    /// What id_tokens and signed answers of the server may be signed with; never `none`, whatever stands here.
    public var idTokenAlgorithms: Set<SignatureAlgorithm> = [.es256, .es384, .edDSA, .ed25519, .ps256, .rs256]
    /// The secret that the server makes codes of id_tokens with, in place of signatures.
    ///
    /// Its algorithm (HS256, HS384 or HS512) is then accepted too. Whoever knows the secret can make id_tokens.
    public var idTokenKeyMadeOfClientSecret: ClientSecretKey?
    /// Whom an id_token may be for beside this client; one that names anybody else is refused (OpenID Connect Core section
    /// 3.1.3.7, rule 3).
    public var trustedIDTokenAudiences: Set<String> = []
    /// Whether http is accepted for servers and APIs on `127.0.0.1` and `[::1]`: for tests and development.
    public var allowsInsecureHTTPOnLoopback = false
    /// Whether tokens are bound to a key, to what kind of key, and what is done where that fails.
    ///
    /// Bound to a key of P-256 or nothing, by default.
    public var tokenBoundConfiguration: any TokenBoundConfiguration = BoundedTokenConfiguration()

    /// The rules that the client keeps and demands of the server; none but the library's own unless made with ``native`` or
    /// ``fapi2``.
    public internal(set) var profile: ClientProfile?

    /// The safe choice.
    public init() {}

    /// Accepts http for servers and APIs on `127.0.0.1` and `[::1]`: for tests and development.
    public static var allowingInsecureHTTPOnLoopback: Self {
        var configuration = Self()
        configuration.allowsInsecureHTTPOnLoopback = true
        return configuration
    }
}
