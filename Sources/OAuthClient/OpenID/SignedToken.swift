// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto

/// A JWT that the server signed, read; whether it did is for ``VerificationKeys``.
struct SignedToken {
    let text: String
    let message: CompactJWS
    let claims: JWTClaims

    /// Takes a token apart.
    ///
    /// - Throws: ``JOSEError``, also for an encrypted token, which has five segments (RFC 7516 section 3.1).
    init(_ text: String, maximumLength: Int) throws(JOSEError) {
        guard text.utf8.lazy.filter({ $0 == UInt8(ascii: ".") }).prefix(5).count != 4 else {
            throw JOSEError(.malformedToken, "it is encrypted, which this client has no key for")
        }
        self.text = text
        message = try CompactJWS(parsing: text, maximumLength: maximumLength)
        claims = try JWTClaims(message.payloadObject())
    }

    /// `kid`: which key of the server.
    func keyID() throws(JOSEError) -> String? { try message.header.optionalString("kid") }

    /// The left half of a hash, in base64url, with the hash function of the algorithm (OpenID Connect Core section 3.1.3.6);
    /// `nil` for an algorithm without one.
    func halfHash(of text: String) -> String? {
        hash.map { Base64URL.encode(Array($0.hash(Array(text.utf8)).prefix($0.digestCount / 2))) }
    }

    /// EdDSA with Ed25519 hashes with SHA-512 (RFC 8032 section 5.1).
    private var hash: HashAlgorithm? {
        switch message.algorithm.rawValue.suffix(3) {
        case "256": .sha256
        case "384": .sha384
        case "512": .sha512
        default: message.algorithm == .edDSA || message.algorithm == .ed25519 ? .sha512 : nil
        }
    }
}
