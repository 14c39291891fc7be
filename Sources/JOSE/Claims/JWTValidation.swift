// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import StrictJSON

/// The rules a JWT must satisfy: type, issuer, audience, claims and times.
///
/// The predefined kinds exclude each other, so that a token of one kind is never accepted as another (RFC 8725 sections
/// 3.11 and 3.12): ``accessToken(issuer:audience:algorithms:leeway:)``,
/// ``idToken(issuer:clientID:nonce:algorithms:leeway:)``, ``clientAssertion(clientID:issuer:algorithms:leeway:)``,
/// ``requestObject(clientID:issuer:algorithms:leeway:)``,
/// ``authorizationResponse(issuer:clientID:algorithms:leeway:)`` and
/// ``clientAttestation(clientID:algorithms:leeway:maximumLength:)``.
public struct JWTValidation: Sendable, Hashable, CustomReflectable, CustomStringConvertible {
    /// How `aud` is compared.
    ///
    /// Each comparison is byte by byte.
    public enum AudienceRule: Sendable, Hashable {
        /// `aud` is the audience, or an array that contains it (RFC 7519 section 4.1.3).
        case contains
        /// `aud` is a string equal to the audience.
        ///
        /// An array is rejected, even with one element (FAPI 2.0 section 5.3.2.1).
        case string
        /// `aud` is the audience or one of these, as a string or an array of exactly one.
        case one(of: Set<String>)
        /// Like ``contains``; in addition `azp`, if present, is the audience.
        ///
        /// `azp` is required with several audiences (OpenID Connect Core section 3.1.3.7).
        case authorizedParty
    }

    /// The media types accepted in `typ`, without `application/`, such as `at+jwt`.
    public var types: Set<String>
    /// Whether `typ` is required.
    ///
    /// It may be missing only in kinds of token older than explicit typing (RFC 8725 section 3.11).
    public var requiresType = true
    /// The required `iss`, compared byte by byte; `nil` for a kind of token that its key alone attributes, which is a
    /// client attestation.
    public private(set) var issuer: String?
    /// The audience that `aud` must equal or contain; `nil` for a kind of token that is for every server, which is a
    /// client attestation.
    public private(set) var audience: String?
    /// How `aud` is compared.
    public var audienceRule = AudienceRule.contains
    /// Claims that must be non-empty strings.
    ///
    /// `iss` and `aud` are always required.
    public var requiredStrings: Set<String> = []
    /// Claims that must be times.
    ///
    /// `exp` is always required.
    public var requiredTimes: Set<String> = []
    /// Claims that must equal these strings, byte by byte.
    public var requiredValues: [String: String] = [:]
    /// Claims that must be absent, because they mark another kind of token.
    public var forbiddenClaims: Set<String> = []
    /// The accepted algorithms, whatever the header says.
    ///
    /// With a ``ClientSecretKey`` the algorithm of the key applies instead.
    public var algorithms: Set<SignatureAlgorithm>
    /// How far `exp` may lie ahead; `nil` for any distance.
    public var maximumLifetime: Duration?
    /// How far `iat` and `nbf` may lie in the past; `nil` for any distance.
    public var maximumAge: Duration?
    /// The tolerated difference between the clocks of issuer and recipient.
    public var leeway: Duration
    /// The maximum length in characters.
    ///
    /// A longer token is rejected before decoding.
    public var maximumLength: Int

    /// Creates rules for a kind of token that has no predefined function.
    ///
    /// - Parameters:
    ///   - type: The media type required in `typ`, without `application/`.
    ///   - issuer: The required `iss`.
    ///   - audience: The audience that `aud` must equal or contain.
    ///   - algorithms: The accepted algorithms.
    ///   - leeway: The tolerated difference between the clocks of issuer and recipient.
    ///   - maximumLength: The maximum length of a token, in characters.
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

    /// Creates rules for a kind of token that names neither its issuer nor its audience.
    init(
        typeWithoutParties type: String,
        algorithms: Set<SignatureAlgorithm>,
        leeway: Duration,
        maximumLength: Int
    ) {
        types = [type]
        (issuer, audience) = (nil, nil)
        self.algorithms = algorithms
        self.leeway = leeway
        self.maximumLength = maximumLength
    }

    /// Validates a signed JWT: type, algorithm, signature, then claims and times.
    ///
    /// `exp` is required.
    ///
    /// - Parameters:
    ///   - token: The JWT in compact serialization.
    ///   - keys: The keys of the issuer.
    ///   - now: The current time.
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

    /// Validates a JWT authenticated with a client secret, such as a `client_secret_jwt`.
    ///
    /// Secrets have their own type and function: a public key is never used as a secret, and a secret never as a public
    /// key (RFC 8725 section 2.1).
    ///
    /// - Parameters:
    ///   - token: The JWT in compact serialization; its `alg` must equal that of the secret.
    ///   - secret: The client secret.
    ///   - now: The current time.
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

    /// Makes every check that precedes the signature.
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

    /// The keys that may have signed a token; throws if there is none.
    func candidates(for jws: CompactJWS, in keys: JWKSet) throws(JOSEError) -> [JWK] {
        let keyID = try jws.header.optionalString("kid")
        let candidates = keys.candidates(keyID: keyID, algorithm: jws.algorithm)
        guard !candidates.isEmpty else { throw JOSEError(.keyNotFound, "no key of the issuer fits the token") }
        return candidates
    }

    /// Makes every check that follows the signature.
    ///
    /// `isSigned` says whether one of the candidates made it.
    func checkedClaims(of jws: CompactJWS, isSigned: Bool, at now: Timestamp) throws(JOSEError) -> JWTClaims {
        guard isSigned else { throw JOSEError(.invalidSignature, "the signature does not verify") }
        return try checkedClaims(of: jws, at: now)
    }

    private func checkedClaims(of jws: CompactJWS, at now: Timestamp) throws(JOSEError) -> JWTClaims {
        let claims = try JWTClaims(jws.payloadObject())
        try check(claims, at: now)
        return claims
    }

    func check(_ claims: JWTClaims, at now: Timestamp) throws(JOSEError) {
        try checkParties(of: claims)
        try checkPresence(in: claims)
        try checkTimes(of: claims, at: now)
    }

    /// Issuer, audience and types: required values may be nonces.
    public var description: String {
        "JWTValidation(issuer: \(issuer ?? "-"), audience: \(audience ?? "-"), types: \(types.sorted()))"
    }
    /// The same, and the names of the claims whose values are required.
    public var customMirror: Mirror {
        let names = requiredValues.keys.sorted()
        return Mirror(
            self,
            children: ["issuer": issuer as Any, "audience": audience as Any, "types": types, "requiredValues": names]
        )
    }
}
