// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import HTTPMessage
public import JOSE

/// The requirements of an API for requests.
public struct GuardConfiguration: Sendable {
    /// `iss`: the authorization server whose tokens are accepted, compared byte by byte.
    public var issuer: String
    /// The public address of the API, configured and never taken from `Host`; `htu` is this and the path of the
    /// request.
    ///
    /// It has a path only if a proxy removes that path before it forwards requests.
    public var address: URI
    /// `aud` of access tokens; by default the address.
    public var audience: String
    /// The accepted signing algorithms of access tokens.
    public var tokenAlgorithms: Set<SignatureAlgorithm>
    /// The requirements for proofs.
    public var proofs: ProofPolicy
    /// The largest difference between the clocks of the authorization server and of this API.
    public var leeway: Duration
    /// Whether access tokens without `cnf` are accepted, as bearer tokens, where a ``GuardRequirement`` does not say.
    ///
    /// Such a token works for anyone who reads it in transit, in a log or on a disk (RFC 9700 section 2.2.1). A token that is
    /// bound to a key never works without a proof (RFC 9449 section 7.2).
    public var acceptsTokensThatAreBoundToNothing = false
    /// Which JWTs are access tokens; by default those of RFC 9068.
    ///
    /// Tokens of Keycloak, Auth0, Okta or Microsoft Entra may need ``AccessTokenProfile/jwtWithoutExplicitType``. It does
    /// not apply to introspected tokens.
    public var tokenProfile = AccessTokenProfile.rfc9068
    /// How many verified JWT access tokens are cached; 0 to verify the signature for each request.
    ///
    /// An entry needs as much memory as the claims of its token. See ``SignedAccessTokens``.
    public var rememberedTokens = 10_000
    /// More authorization servers whose tokens are accepted, each with its own keys and rules; by default none.
    ///
    /// ``issuer``, ``tokenAlgorithms`` and ``tokenProfile`` then apply to the first issuer only, and ``audience`` to it and to
    /// every issuer without an ``AcceptedIssuer/audience`` of its own. No issuer may be listed twice. Tokens are JWTs:
    /// ``IntrospectingAccessTokens`` asks a single server.
    public var furtherIssuers: [AcceptedIssuer] = []
    /// The metadata that the API publishes at its well-known address, to which its challenges link (RFC 9728).
    ///
    /// `nil`, the default, publishes none; see ``RequestGuard/metadataResponse(to:)``.
    public var metadata: PublishedMetadata?
    /// Verifies the signatures of access tokens and proofs of concurrent requests in batches; `nil`, the default,
    /// verifies each alone.
    public var signatures: (any SignatureVerifier)?

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - issuer: The authorization server whose tokens are accepted.
    ///   - address: The public address of the API, http or https, without a slash at the end.
    ///   - audience: `aud` of access tokens; `nil` for the address.
    ///   - tokenAlgorithms: The accepted signing algorithms of access tokens.
    ///   - proofs: The requirements for proofs.
    ///   - leeway: The largest difference between clocks.
    public init(
        issuer: String,
        address: URI,
        audience: String? = nil,
        tokenAlgorithms: Set<SignatureAlgorithm> = [.es256],
        proofs: ProofPolicy = ProofPolicy(),
        leeway: Duration = .seconds(10)
    ) {
        self.issuer = issuer
        self.address = address
        self.audience = audience ?? address.description
        self.tokenAlgorithms = tokenAlgorithms
        self.proofs = proofs
        self.leeway = leeway
    }
}
