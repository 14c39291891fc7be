// SPDX-License-Identifier: Apache-2.0

import JOSE

/// The header of a proof that passed every check that depends on it alone, and what they found.
///
/// A client sends the same header with each proof of a key, letter by letter, so it need not be read each time.
final class CheckedHeader: Sendable {
    /// As it was sent, in base64url.
    let text: [UInt8]
    let jwsHeader: JWSHeader
    let key: JWK
    let thumbprint: JWKThumbprint

    init(of jws: CompactJWS, key: JWK) {
        text = jws.encodedHeader
        jwsHeader = JWSHeader(of: jws)
        self.key = key
        thumbprint = key.thumbprint
    }
}
