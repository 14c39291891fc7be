// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import StrictJSON

/// What a JWT must be to be accepted, as a value: kind, issuer, audience, claims, times.
///
/// The kinds have rules that exclude each other, so that none is taken for another (RFC 8725 sections 3.11 and 3.12):
/// ``accessToken(issuer:audience:algorithms:leeway:)``, ``idToken(issuer:clientID:nonce:algorithms:leeway:)``,
/// ``clientAssertion(clientID:issuer:algorithms:leeway:)``, ``requestObject(clientID:issuer:algorithms:leeway:)`` and
/// ``authorizationResponse(issuer:clientID:algorithms:leeway:)``.
public struct JWTValidation: Sendable, Hashable {
    /// How `aud` is compared; byte by byte in each case.
    public enum AudienceRule: Sendable, Hashable {
        /// `aud` is the audience, or an array that contains it (RFC 7519 section 4.1.3).
        case contains
        /// `aud` is a string and is the audience: no array, not even of one (FAPI 2.0 section 5.3.2.1).
        case string
        /// As ``contains``, and `azp` is the audience too when it is there; with several audiences it must be (OpenID
        /// Connect Core section 3.1.3.7).
        case authorizedParty
    }

    /// The media types that `typ` may name, without `application/`, such as `at+jwt`.
    public var types: Set<String>
    /// Whether `typ` must be there: it may be missing only in kinds of token that are older than explicit typing.
    public var requiresType = true
    /// What `iss` must be, byte by byte.
    public var issuer: String
    /// What `aud` must be or contain.
    public var audience: String
    /// How `aud` is compared.
    public var audienceRule = AudienceRule.contains
    /// The claims that must be there and be strings, not empty ones; `iss` and `aud` always must.
    public var requiredStrings: Set<String> = []
    /// The claims that must be there and be times; `exp` always must.
    public var requiredTimes: Set<String> = []
    /// The claims that must be there and be these strings, byte by byte.
    public var requiredValues: [String: String] = [:]
    /// The claims that must not be there: those that mark another kind of token.
    public var forbiddenClaims: Set<String> = []
    /// The algorithms that are accepted, whatever the header says; with a ``ClientSecretKey`` it is the one of the key.
    public var algorithms: Set<SignatureAlgorithm>
    /// How far `exp` may lie ahead; any distance when `nil`.
    public var maximumLifetime: Duration?
    /// How far `iat` and `nbf` may lie in the past; any distance when `nil`.
    public var maximumAge: Duration?
    /// How far the clocks of issuer and recipient may differ.
    public var leeway: Duration
    /// What is longer is refused before anything is decoded, in characters.
    public var maximumLength: Int

    /// Makes a demand for a kind of token that has no function of its own here.
    ///
    /// - Parameters:
    ///   - type: The media type that `typ` must name, without `application/`.
    ///   - issuer: What `iss` must be.
    ///   - audience: What `aud` must be or contain.
    ///   - algorithms: The algorithms that are accepted.
    ///   - leeway: How far the clocks of issuer and recipient may differ.
    ///   - maximumLength: The longest token, in characters.
    public init(
        type: String,
        issuer: String,
        audience: String,
        algorithms: Set<SignatureAlgorithm> = [.es256],
        leeway: Duration = .seconds(10),
        maximumLength: Int = 8192
    ) {
        types = [type]
        self.issuer = issuer
        self.audience = audience
        self.algorithms = algorithms
        self.leeway = leeway
        self.maximumLength = maximumLength
    }

    /// Validates a signed JWT: kind, algorithm, signature, then claims and times; `exp` must be there.
    ///
    /// - Parameters:
    ///   - token: The JWT in compact serialization.
    ///   - keys: The keys of the issuer.
    ///   - now: The time to judge by.
    /// - Returns: The claims.
    /// - Throws: ``JOSEError`` – the codes of ``CompactJWS/init(parsing:maximumLength:)``,
    ///   ``JOSEError/Code/algorithmNotAllowed``, ``JOSEError/Code/keyNotFound``, ``JOSEError/Code/invalidSignature``,
    ///   ``JOSEError/Code/invalidClaim``, ``JOSEError/Code/expired``, ``JOSEError/Code/notYetValid``.
    ///
    /// ## Specification
    ///
    /// [RFC 7519 §7.2](https://www.rfc-editor.org/rfc/rfc7519#section-7.2),
    /// [RFC 8725 §3](https://www.rfc-editor.org/rfc/rfc8725#section-3)
    public func validate(_ token: String, with keys: JWKSet, at now: Timestamp) throws(JOSEError) -> JWTClaims {
        let jws = try readSigned(token)
        let isSigned = try candidates(for: jws, in: keys).contains { jws.isSigned(by: $0) }
        return try checkedClaims(of: jws, isSigned: isSigned, at: now)
    }

    /// Validates a JWT whose code was made with a client's secret, such as a `client_secret_jwt`.
    ///
    /// The secret has a type and a function of its own: no public key is ever tried as a secret, nor the other way round
    /// (RFC 8725 section 2.1).
    ///
    /// - Parameters:
    ///   - token: The JWT in compact serialization; its `alg` must be the one of the secret.
    ///   - secret: The secret of the client.
    ///   - now: The time to judge by.
    /// - Returns: The claims.
    /// - Throws: ``JOSEError`` – the codes of ``CompactJWS/init(parsing:maximumLength:)``,
    ///   ``JOSEError/Code/algorithmNotAllowed``, ``JOSEError/Code/invalidSignature``, ``JOSEError/Code/invalidClaim``,
    ///   ``JOSEError/Code/expired``, ``JOSEError/Code/notYetValid``.
    ///
    /// ## Specification
    ///
    /// [OpenID Connect Core §9](https://openid.net/specs/openid-connect-core-1_0.html#ClientAuthentication)
    public func validate(
        _ token: String,
        with secret: ClientSecretKey,
        at now: Timestamp
    ) throws(JOSEError) -> JWTClaims {
        let jws = try read(token)
        try secret.verify(jws)
        return try checkedClaims(of: jws, at: now)
    }

    /// Every check before the signature.
    func readSigned(_ token: String) throws(JOSEError) -> CompactJWS {
        let jws = try read(token)
        guard algorithms.contains(jws.algorithm) else {
            throw JOSEError(.algorithmNotAllowed, "the algorithm of the token is not one of those allowed")
        }
        return jws
    }

    private func read(_ token: String) throws(JOSEError) -> CompactJWS {
        let jws = try CompactJWS(parsing: token, maximumLength: maximumLength)
        let isAccepted =
            switch jws.header["typ"] {
            case .string(let type): types.contains { MediaType.isSame(type, $0) }
            case nil: !requiresType
            default: false
            }
        guard isAccepted else {
            throw JOSEError(.invalidClaim, "'typ' is not \(types.sorted().joined(separator: " or "))")
        }
        return jws
    }

    /// The keys that may have signed a token: one at least.
    func candidates(for jws: CompactJWS, in keys: JWKSet) throws(JOSEError) -> [JWK] {
        let keyID = try jws.header.optionalString("kid")
        let candidates = keys.candidates(keyID: keyID, algorithm: jws.algorithm)
        guard !candidates.isEmpty else { throw JOSEError(.keyNotFound, "no key of the issuer fits the token") }
        return candidates
    }

    /// Every check after the signature, which one of the candidates made, or none.
    func checkedClaims(of jws: CompactJWS, isSigned: Bool, at now: Timestamp) throws(JOSEError) -> JWTClaims {
        guard isSigned else { throw JOSEError(.invalidSignature, "the signature does not verify") }
        return try checkedClaims(of: jws, at: now)
    }

    private func checkedClaims(of jws: CompactJWS, at now: Timestamp) throws(JOSEError) -> JWTClaims {
        let claims = try JWTClaims(jws.payloadObject())
        try checkParties(of: claims)
        try checkPresence(in: claims)
        try checkTimes(of: claims, at: now)
        return claims
    }
}
