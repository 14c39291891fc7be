// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem

/// Verifies the signature of a token of the server.
enum VerificationKeys {
    /// The keys that the server publishes.
    case published(JWKSet)
    /// The secret that the server and the client share.
    case shared(ClientSecretKey)

    /// Checks the signature of the server.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - algorithms: The algorithms that are accepted for published keys.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/algorithmNotAllowed``, ``JOSEError/Code/keyNotFound``,
    ///   ``JOSEError/Code/invalidSignature``.
    func verify(_ token: SignedJWT, allowing algorithms: Set<SignatureAlgorithm>) throws(JOSEError) {
        switch self {
        case .shared(let secret): try secret.verify(token.message)
        case .published(let keys):
            let keyID = try token.keyID()
            let candidates = keys.keys.filter { key in
                key.fits(token.message.algorithm) && (keyID.map { key.keyID?.isIdentical(to: $0) ?? false } ?? true)
            }
            guard !candidates.isEmpty else { throw JOSEError(.keyNotFound, "no key of the server fits the token") }
            for key in candidates where (try? token.message.verify(with: key, allowing: algorithms)) != nil { return }
            throw JOSEError(.invalidSignature, "the signature does not verify")
        }
    }

    /// Validates a token and returns its claims.
    func validate(_ token: SignedJWT, by validation: JWTValidation, at now: Timestamp) throws(JOSEError) -> JWTClaims {
        switch self {
        case .published(let keys): try validation.validate(token.text, with: keys, at: now)
        case .shared(let secret): try validation.validate(token.text, with: secret, at: now)
        }
    }
}
