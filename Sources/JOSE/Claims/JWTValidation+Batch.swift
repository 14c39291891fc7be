// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem
import StrictJSON

extension JWTValidation {
    /// Validates a signed JWT; a batch verifier may verify its signature together with those of other callers.
    ///
    /// Performs the same checks, in the same order, as ``validate(_:with:at:)-(_,JWKSet,_)``. Suspends the caller only
    /// while the signature waits for the verifier.
    ///
    /// - Parameters:
    ///   - token: The JWT in compact serialization.
    ///   - keys: The keys of the issuer.
    ///   - now: The current time.
    ///   - verifier: Verifies signatures of several callers together; `nil` to verify this one alone.
    /// - Returns: The claims.
    /// - Throws: ``JOSEError`` as that function; `CancellationError` if the task was cancelled while it waited.
    ///
    /// ## Specification
    ///
    /// [RFC 7519 §7.2](https://www.rfc-editor.org/rfc/rfc7519#section-7.2)
    package func validate(
        _ token: String,
        with keys: JWKSet,
        at now: Timestamp,
        verifier: (any SignatureVerifier)?
    ) async throws -> JWTClaims {
        try await verify(token, with: keys, at: now, verifier: verifier).claims
    }

    /// Validates a signed JWT like ``validate(_:with:at:verifier:)``, and says what its validity rests on.
    ///
    /// - Parameters:
    ///   - token: The JWT in compact serialization.
    ///   - keys: The keys of the issuer.
    ///   - now: The current time.
    ///   - verifier: Verifies signatures of several callers together; `nil` to verify this one alone.
    /// - Returns: The claims and the key that signed them.
    /// - Throws: ``JOSEError``, `CancellationError`, as that function.
    package func verify(
        _ token: String,
        with keys: JWKSet,
        at now: Timestamp,
        verifier: (any SignatureVerifier)?
    ) async throws -> VerifiedJWT {
        let jws = try readSigned(token)
        var signer: JWK?
        for key in try candidates(for: jws, in: keys) {
            let isSigned =
                if let verifier { try await verifier.isValid(SignedToken(jws, key: key)) } else {
                    jws.isSigned(by: key)
                }
            if isSigned {
                signer = key
                break
            }
        }
        let claims = try checkedClaims(of: jws, isSigned: signer != nil, at: now)
        guard let signer else { throw JOSEError(.invalidSignature, "the signature does not verify") }
        return VerifiedJWT(
            claims: claims,
            keyID: try jws.header.optionalString("kid"),
            algorithm: jws.algorithm,
            signer: signer
        )
    }

    /// Validates a JWT whose signature was verified before: everything else is checked again.
    ///
    /// - Parameters:
    ///   - jwt: The JWT as it was verified, with the same rules.
    ///   - keys: The keys of the issuer, as they are now.
    ///   - now: The current time.
    /// - Returns: The claims.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/algorithmNotAllowed``, ``JOSEError/Code/keyNotFound`` if the issuer no
    ///   longer publishes the key, ``JOSEError/Code/invalidClaim``, ``JOSEError/Code/expired``,
    ///   ``JOSEError/Code/notYetValid``.
    package func validate(
        again jwt: VerifiedJWT,
        with keys: JWKSet,
        at now: Timestamp
    ) throws(JOSEError) -> JWTClaims {
        guard algorithms.contains(jwt.algorithm) else {
            throw JOSEError(.algorithmNotAllowed, "the algorithm of the token is not one of those allowed")
        }
        guard keys.candidates(keyID: jwt.keyID, algorithm: jwt.algorithm).contains(jwt.signer) else {
            throw JOSEError(.keyNotFound, "the key that signed the token is not published any more")
        }
        try check(jwt.claims, at: now)
        return jwt.claims
    }
}

extension SignatureVerifier {
    /// Whether one of several keys signed a token.
    ///
    /// The caller checks which algorithms are allowed.
    ///
    /// - Parameters:
    ///   - jws: The token.
    ///   - keys: The keys, tried in this order.
    /// - Returns: True if ``CompactJWS/isSigned(by:)`` is true for one of the keys.
    /// - Throws: `CancellationError` if the task was cancelled while it waited.
    package func isValid(_ jws: CompactJWS, byOneOf keys: [JWK]) async throws(CancellationError) -> Bool {
        for key in keys where try await isValid(SignedToken(jws, key: key)) { return true }
        return false
    }
}
