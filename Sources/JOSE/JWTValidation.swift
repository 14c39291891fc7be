// SPDX-License-Identifier: Apache-2.0

/// What a JWT must be to be accepted, as a value: kind, issuer, audience, algorithms, times.
///
/// The demand for `typ` keeps one kind of token from being taken for another (RFC 8725 section 3.11).
public struct JWTValidation: Sendable, Hashable {
    /// The media type that `typ` must name, without `application/`, such as `at+jwt`.
    public var type: String
    /// What `iss` must be, byte by byte.
    public var issuer: String
    /// What `aud` must be or contain, byte by byte.
    public var audience: String
    /// The algorithms that are accepted, whatever the header says.
    public var algorithms: Set<SignatureAlgorithm>
    /// How far the clocks of issuer and recipient may differ.
    public var leeway: Duration
    /// What is longer is refused before anything is decoded, in characters.
    public var maximumLength: Int

    /// Makes a demand.
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
        self.type = type
        self.issuer = issuer
        self.audience = audience
        self.algorithms = algorithms
        self.leeway = leeway
        self.maximumLength = maximumLength
    }

    /// Validates a JWT: kind, algorithm, signature, then issuer, audience and times; `exp` must be there.
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
        let jws = try CompactJWS(parsing: token, maximumLength: maximumLength)
        guard let type = jws.header["typ"]?.stringValue, MediaType.isSame(type, self.type) else {
            throw JOSEError(.invalidClaim, "'typ' is not \(self.type)")
        }
        guard algorithms.contains(jws.algorithm) else {
            throw JOSEError(.algorithmNotAllowed, "the algorithm of the token is not one of those allowed")
        }
        try verifySignature(of: jws, with: keys)
        let claims = try JWTClaims(jws.payloadObject())
        try check(claims, at: now)
        return claims
    }

    private func verifySignature(of jws: CompactJWS, with keys: JWKSet) throws(JOSEError) {
        let keyID = try jws.header.optionalString("kid")
        let candidates = keys.candidates(keyID: keyID, algorithm: jws.algorithm)
        guard !candidates.isEmpty else { throw JOSEError(.keyNotFound, "no key of the issuer fits the token") }
        guard candidates.contains(where: { jws.isSigned(by: $0) }) else {
            throw JOSEError(.invalidSignature, "the signature does not verify")
        }
    }

    private func check(_ claims: JWTClaims, at now: Timestamp) throws(JOSEError) {
        guard claims.issuer?.isIdentical(to: issuer) ?? false else {
            throw JOSEError(.invalidClaim, "'iss' is not the expected issuer")
        }
        guard claims.audience.contains(where: { $0.isIdentical(to: audience) }) else {
            throw JOSEError(.invalidClaim, "'aud' does not contain the expected audience")
        }
        guard let expiresAt = claims.expiresAt else { throw JOSEError(.invalidClaim, "'exp' is missing") }
        guard now < expiresAt + leeway else { throw JOSEError(.expired, "the token has expired") }
        if let notBefore = claims.notBefore, now + leeway < notBefore {
            throw JOSEError(.notYetValid, "the token is not valid yet")
        }
        if let issuedAt = claims.issuedAt, now + leeway < issuedAt {
            throw JOSEError(.notYetValid, "the token was issued in the future")
        }
    }
}
