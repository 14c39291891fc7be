// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import HTTPMessage
public import JOSE
import OAuthCore

/// The configuration of an authorization server.
public struct ServerConfiguration: Sendable {
    /// `iss`: the public address, configured and never taken from a request; https, without query and fragment.
    public var issuer: URI
    /// `aud` of access tokens: the address of the default API.
    public var audience: String
    /// The name of the server on pages.
    public var serverName: String
    /// The security profile; ``adopt(_:)`` also changes the settings that it requires.
    public var profile = SecurityProfile.native
    /// The supported scope values, with or without a description.
    public var scopes: [ScopeDescription]
    /// The claims about users that scopes release; by default none but the user name, with the scope `profile`.
    ///
    /// An operator or the login provider sets them: ``ServerAdministration/changeClaims(of:setting:removing:)``,
    /// ``LoginProvider``. They are in id_tokens and at the userinfo endpoint, and in access tokens for the APIs that take
    /// them: ``ProtectedResource/claims``.
    public var claims: [ScopeClaims] = []
    /// Whether every token must be bound to a key, however the client is registered.
    public var requireDPoP: Bool
    /// Whether every authorization request must be pushed (RFC 9126 section 5).
    public var requirePushedAuthorizationRequests: Bool
    /// When proofs need a nonce.
    public var noncePolicy: DPoPNoncePolicy
    /// The algorithms for client assertions (FAPI 2.0 section 5.4.1); never `none`, and never a shared secret.
    public var clientAssertionAlgorithms: Set<SignatureAlgorithm> = [.es256, .edDSA, .ed25519, .ps256]
    /// What a client assertion may have as `aud`.
    public var assertionAudience = AssertionAudience.issuer
    /// Whether also the refresh tokens of clients with a credential of their own are bound to the key of the proof.
    ///
    /// Those tokens are bound to the client (RFC 9449 section 5); with this, such a client cannot change its DPoP key.
    public var bindsRefreshTokensOfConfidentialClients = false
    /// The algorithms for signed authorization requests (RFC 9101 section 10.2); never `none`, and never a shared
    /// secret.
    public var requestObjectAlgorithms: Set<SignatureAlgorithm> = [.es256, .edDSA, .ed25519, .ps256]
    /// Whether every authorization request must be signed (RFC 9101 section 10.5).
    public var requireSignedRequestObject = false
    /// Whether every authorization code and device code must be bound to a key (RFC 9449 section 10).
    public var requireBoundAuthorizationCodes = false
    /// The APIs that tokens can be for, in addition to ``audience``.
    ///
    /// To set properties of the tokens for ``audience``, include it here too.
    public var resources: [ProtectedResource] = []
    /// Who attests the keys of clients; with none, no client can authenticate by attestation.
    public var attesters: [TrustedAttester] = []
    /// The rules for clients that no operator registered; by default there are none.
    public var unregisteredClients = UnregisteredClients()
    /// The supported types of authorization details (RFC 9396).
    public var authorizationDetailTypes: [AuthorizationDetailType] = []
    /// `acr` of users who sign in with a password; by default the SAML 2.0 value for a password over TLS
    /// (Authentication Context section 3.4.5).
    public var passwordContext = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"
    /// The external login provider; `nil` to authenticate users with a password on the pages of this server.
    public var loginSystem: LoginProvider?
    /// The rules for sign-ins without a browser; by default there are none.
    public var firstParty = FirstPartyPolicy()
    /// Verifies the proofs of concurrent requests in batches; `nil`, the default, verifies each alone.
    public var signatures: (any SignatureVerifier)?
    /// Whether consent is also remembered for redirect URIs with a loopback address or the scheme of an app.
    ///
    /// Any app on the device can receive such redirects (RFC 8252 section 8.6), and then gets codes without the user's
    /// consent.
    public var remembersConsentForRedirectsThatAnyAppCanTake = false
    /// When an authorization error is sent to the client without a click of the user.
    public var errorRedirects = ErrorRedirectPolicy.signedIn
    /// The lifetimes of what the server issues and stores.
    public var lifetimes: Lifetimes
    /// The proxies that are trusted to forward the address of a client.
    public var trustedProxies: TrustedProxies
    /// The rate limits for requests that cost the server something or may be guesses.
    public var rateLimits: RateLimits
    /// Allows an issuer with http on a loopback address: for experiments on one machine.
    public var allowsInsecureLoopbackIssuer: Bool

    /// Makes a configuration; see ``validate()``.
    ///
    /// - Parameters:
    ///   - issuer: The public address.
    ///   - audience: The address of the default API.
    ///   - serverName: The name of the server on pages.
    ///   - scopes: The supported scope values.
    ///   - requireDPoP: Whether every token must be bound to a key.
    ///   - requirePushedAuthorizationRequests: Whether every authorization request must be pushed.
    ///   - noncePolicy: When proofs need a nonce.
    ///   - lifetimes: The lifetimes of what the server issues and stores.
    ///   - trustedProxies: The proxies that are trusted to forward the address of a client.
    ///   - rateLimits: The rate limits.
    ///   - allowsInsecureLoopbackIssuer: Allows an issuer with http on a loopback address.
    public init(
        issuer: URI,
        audience: String,
        serverName: String = "Keybound",
        scopes: [ScopeDescription],
        requireDPoP: Bool = true,
        requirePushedAuthorizationRequests: Bool = false,
        noncePolicy: DPoPNoncePolicy = .required,
        lifetimes: Lifetimes = Lifetimes(),
        trustedProxies: TrustedProxies = .loopback,
        rateLimits: RateLimits = .standard,
        allowsInsecureLoopbackIssuer: Bool = false
    ) {
        self.issuer = issuer
        self.audience = audience
        self.serverName = serverName
        self.scopes = scopes
        self.requireDPoP = requireDPoP
        self.requirePushedAuthorizationRequests = requirePushedAuthorizationRequests
        self.noncePolicy = noncePolicy
        self.lifetimes = lifetimes
        self.trustedProxies = trustedProxies
        self.rateLimits = rateLimits
        self.allowsInsecureLoopbackIssuer = allowsInsecureLoopbackIssuer
    }

    /// Validates the configuration.
    ///
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidConfiguration``, naming the
    ///   rule.
    public func validate() throws(AuthorizationServerError) {
        let isInsecureLoopback = issuer.scheme == "http" && issuer.isLoopbackIPLiteral && allowsInsecureLoopbackIssuer
        guard issuer.scheme == "https" || isInsecureLoopback, issuer.host != nil else {
            throw .invalid(
                "issuer",
                "the issuer must be an https URL (RFC 8414 section 2); http is allowed on 127.0.0.1 when asked for by name"
            )
        }
        guard issuer.query == nil, issuer.fragment == nil, issuer.userinfo == nil, !issuer.path.hasSuffix("/") else {
            throw .invalid(
                "issuer",
                "the issuer has no query, no fragment, no user information and no slash at the end (RFC 8414 section 2)"
            )
        }
        guard !audience.isEmpty, (try? URI(parsing: audience)) != nil else {
            throw .invalid("audience", "the audience must be an absolute URI (RFC 8707)")
        }
        guard (try? Scope(scopes.map(\.name))) != nil else {
            throw .invalid(
                "scopes",
                "the name of a scope is ASCII without space, quotation mark and backslash (RFC 6749 section 3.3)"
            )
        }
        let lists = [
            ("clientAssertionAlgorithms", clientAssertionAlgorithms),
            ("requestObjectAlgorithms", requestObjectAlgorithms),
        ]
        for (setting, algorithms) in lists {
            guard !algorithms.isEmpty, algorithms.allSatisfy(SignatureAlgorithm.all.contains) else {
                throw .invalid(setting, "clients sign assertions and requests with a key, such as by ES256")
            }
        }
        guard Self.isContextName(passwordContext) else { throw .contextNameRejected("passwordACR") }
        try loginSystem?.validate(allowingLoopback: allowsInsecureLoopbackIssuer)
        try lifetimes.validate()
        try validateResources()
        try validateClaims()
        try validateDetailTypes()
        try validateUnregisteredClients()
        try validateAttesters()
        try validateFirstParty()
        try validateProfile()
    }

    /// All supported scope values.
    var existingScope: Scope { (try? Scope(scopes.map(\.name))) ?? .empty }

    /// The supported authentication contexts, as `acr` values.
    var authenticationContexts: [String] { loginSystem?.contexts ?? [passwordContext] }

    /// Whether a text can be in `acr_values`, which are separated by spaces.
    static func isContextName(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

extension AuthorizationServerError {
    static func contextNameRejected(_ setting: String) -> Self {
        .invalid(setting, "the name of a way to sign in (acr) has 1 to 256 visible ASCII characters")
    }
}
