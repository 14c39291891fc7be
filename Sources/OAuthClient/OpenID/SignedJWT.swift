// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON

/// A JWT that the server signed, read; whether it did is for ``VerificationKeys``.
struct SignedJWT {
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
}
