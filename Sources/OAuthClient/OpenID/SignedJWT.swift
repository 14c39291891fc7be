// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON

/// A parsed JWT of the server, not yet verified; see ``VerificationKeys``.
struct SignedJWT {
    let text: String
    let message: CompactJWS
    let claims: JWTClaims

    /// Parses a token.
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

    /// `kid`: identifies the key of the server.
    func keyID() throws(JOSEError) -> String? { try message.header.optionalString("kid") }
}
