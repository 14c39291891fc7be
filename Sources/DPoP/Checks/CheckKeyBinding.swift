// SPDX-License-Identifier: Apache-2.0

import JOSE

/// RFC 9449 section 4.3, check 12, second part: the token is bound to the key of the proof (sections 5, 6.1 and 10).
enum CheckKeyBinding {
    static func run(_ thumbprint: JWKThumbprint, expected: JWKThumbprint?) throws(DPoPError) {
        guard let expected, thumbprint != expected else { return }
        throw DPoPError(.keyMismatch, "the proof is of another key than the one that is bound", step: .keyBinding)
    }
}
