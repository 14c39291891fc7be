// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import HTTPMessage
public import JOSE
import OAuthCore

/// What an operator decides about an authorization server.
public struct ServerConfiguration: Sendable {
    /// `iss`: the public address, configured and never taken from a request; https, without query and fragment.
    public var issuer: URI
    /// `aud` of access tokens: the address of the API they are for.
    public var audience: String
    /// The name that pages show.
    public var serverName: String
    /// Which set of rules the server keeps; ``adopt(_:)`` sets what goes with it too.
    public var profile = SecurityProfile.native
    /// The scopes that exist, each with what it allows in words, or without.
    public var scopes: [ScopeDescription]
    /// Whether every token must be bound to a key, whatever the client is registered for.
    public var requireDPoP: Bool
    /// Whether every authorization request must be pushed (RFC 9126 section 5).
    public var requirePushedAuthorizationRequests: Bool
    /// When proofs need a nonce.
    public var noncePolicy: DPoPNoncePolicy
    /// What the assertions of clients may be signed with (FAPI 2.0 section 5.4.1); never `none`, and never a shared secret.
    public var clientAssertionAlgorithms: Set<SignatureAlgorithm> = [.es256, .edDSA, .ed25519, .ps256]
    /// What signed authorization requests may be signed with (RFC 9101 section 10.2); never `none`, and never a shared secret.
    public var requestObjectAlgorithms: Set<SignatureAlgorithm> = [.es256, .edDSA, .ed25519, .ps256]
    /// Whether every authorization request must be signed (RFC 9101 section 10.5).
    public var requireSignedRequestObject = false
    /// Whether every authorization code must be bound to a key from the beginning (RFC 9449 section 10).
    public var requireBoundAuthorizationCodes = false
    /// The APIs that tokens can be for, beside ``audience``, which is described here too when its tokens are special.
    public var resources: [ProtectedResource] = []
    /// The types of authorization details that exist (RFC 9396).
    public var authorizationDetailTypes: [AuthorizationDetailType] = []
    /// `acr` of those who sign in with a password; unless set, what SAML 2.0 calls a password over TLS (Authentication
    /// Context section 3.4.5).
    public var passwordContext = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"
    /// The system that decides who somebody is; `nil` for the pages of this server, which ask for a password.
    public var loginSystem: LoginProvider?
    /// Where the proofs of requests that come at the same time are verified together; `nil`, the default, for one by one.
    public var signatures: (any SignatureVerifier)?
    /// Whether consent is remembered also when the redirect URI is a loopback address or the scheme of an app, which any app
    /// on the device can take (RFC 8252 section 8.6): then such an app gets codes that nobody agreed to.
    public var remembersConsentForRedirectsThatAnyAppCanTake = false
    /// How long things are valid.
    public var lifetimes: Lifetimes
    /// Whose word on the address of a client is believed.
    public var trustedProxies: TrustedProxies
    /// How often one address may do what costs the server something, or what guesses.
    public var rateLimits: RateLimits
    /// Allows an issuer with http on a loopback address: for trying things out on one machine.
    public var allowsInsecureLoopbackIssuer: Bool

    /// Makes a configuration; see ``validate()``.
    ///
    /// - Parameters:
    ///   - issuer: The public address.
    ///   - audience: The address of the API that tokens are for.
    ///   - serverName: The name that pages show.
    ///   - scopes: The scopes that exist.
    ///   - requireDPoP: Whether every token must be bound to a key.
    ///   - requirePushedAuthorizationRequests: Whether every authorization request must be pushed.
    ///   - noncePolicy: When proofs need a nonce.
    ///   - lifetimes: How long things are valid.
    ///   - trustedProxies: Whose word on the address of a client is believed.
    ///   - rateLimits: How often one address may do what costs something.
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

    /// Checks what can be wrong with a configuration.
    ///
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidConfiguration``, naming the rule.
    public func validate() throws(AuthorizationServerError) {
        let isInsecureLoopback = issuer.scheme == "http" && issuer.isLoopbackIPLiteral && allowsInsecureLoopbackIssuer
        guard issuer.scheme == "https" || isInsecureLoopback, issuer.host != nil else {
            throw AuthorizationServerError(
                .invalidConfiguration,
                "the issuer must be an https URL (RFC 8414 section 2); http is allowed on 127.0.0.1 when asked for by name"
            )
        }
        guard issuer.query == nil, issuer.fragment == nil, issuer.userinfo == nil, !issuer.path.hasSuffix("/") else {
            throw AuthorizationServerError(
                .invalidConfiguration,
                "the issuer has no query, no fragment, no user information and no slash at the end (RFC 8414 section 2)"
            )
        }
        guard !audience.isEmpty, (try? URI(parsing: audience)) != nil else {
            throw AuthorizationServerError(.invalidConfiguration, "the audience must be an absolute URI (RFC 8707)")
        }
        guard (try? Scope(scopes.map(\.name))) != nil else {
            throw AuthorizationServerError(
                .invalidConfiguration,
                "the name of a scope is ASCII without space, quotation mark and backslash (RFC 6749 section 3.3)"
            )
        }
        for algorithms in [clientAssertionAlgorithms, requestObjectAlgorithms] {
            guard !algorithms.isEmpty, algorithms.allSatisfy(SignatureAlgorithm.all.contains) else {
                throw AuthorizationServerError(
                    .invalidConfiguration,
                    "clients sign assertions and requests with a key, such as by ES256"
                )
            }
        }
        guard Self.isContextName(passwordContext) else { throw .contextNameRejected }
        try loginSystem?.validate(allowingLoopback: allowsInsecureLoopbackIssuer)
        try lifetimes.validate()
        try validateResources()
        try validateDetailTypes()
        try validateProfile()
    }

    /// All scopes that exist.
    var existingScope: Scope { (try? Scope(scopes.map(\.name))) ?? .empty }

    /// The ways to sign in that exist, as `acr` names them.
    var authenticationContexts: [String] { loginSystem?.contexts ?? [passwordContext] }

    /// `acr_values` are separated by spaces.
    static func isContextName(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

extension AuthorizationServerError {
    static let contextNameRejected = Self(
        .invalidConfiguration,
        "the name of a way to sign in (acr) has 1 to 256 visible ASCII characters"
    )
}
