// SPDX-License-Identifier: Apache-2.0

import JOSE

/// The header of a proof that passed every check that depends on it alone, and what they found.
final class VerifiedHeader: Sendable {
    let jwsHeader: JWSHeader
    let key: JWK
    let thumbprint: JWKThumbprint

    init(of jws: CompactJWS, key: JWK) {
        jwsHeader = jws.parsedHeader
        self.key = key
        thumbprint = key.thumbprint
    }
}
