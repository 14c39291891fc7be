// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

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
        guard let verifier else { return try validate(token, with: keys, at: now) }
        let jws = try readSigned(token)
        let isSigned = try await verifier.isValid(jws, byOneOf: candidates(for: jws, in: keys))
        return try checkedClaims(of: jws, isSigned: isSigned, at: now)
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
