// SPDX-License-Identifier: Apache-2.0

import JOSE

/// A proof header that passed every check that depends on the header alone, with the results of these checks.
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
