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
    /// Whether a server that was asked for DPoP-bound tokens may give Bearer tokens, which anyone who finds them can use
    /// (RFC 9449 section 5).
    public var acceptsBearerTokensInsteadOfBoundOnes = false

    /// The safe choice.
    public init() {}

    /// Accepts http for servers and APIs on `127.0.0.1` and `[::1]`: for tests and development.
    public static var allowingInsecureHTTPOnLoopback: Self {
        var configuration = Self()
        configuration.allowsInsecureHTTPOnLoopback = true
        return configuration
    }
}
