// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

extension JWTValidation {
    /// Validates a signed JWT, its signature together with those of other callers.
    ///
    /// The checks and their order are those of ``validate(_:with:at:)-(_,JWKSet,_)``. The caller is suspended only while others
    /// are verified.
    ///
    /// - Parameters:
    ///   - token: The JWT in compact serialization.
    ///   - keys: The keys of the issuer.
    ///   - now: The time to judge by.
    ///   - verifier: Where callers meet; `nil` to verify by itself.
    /// - Returns: The claims.
    /// - Throws: ``JOSEError`` as there; `CancellationError` when the task was cancelled while it waited.
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
    /// Whether a token is signed by one of several keys; the algorithms that are allowed are the caller's concern.
    ///
    /// - Parameters:
    ///   - jws: The token.
    ///   - keys: The keys, which are tried in their order.
    /// - Returns: Whether ``CompactJWS/isSigned(by:)`` says so of one.
    /// - Throws: `CancellationError` when the task was cancelled while it waited.
    package func isValid(_ jws: CompactJWS, byOneOf keys: [JWK]) async throws(CancellationError) -> Bool {
        for key in keys where try await isValid(SignedToken(jws, key: key)) { return true }
        return false
    }
}
