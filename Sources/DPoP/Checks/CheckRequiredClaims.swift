// SPDX-License-Identifier: Apache-2.0

import JOSE

/// RFC 9449 section 4.3, check 3: all required claims are present and have the right type (section 4.2).
enum CheckRequiredClaims {
    static func run(_ payload: IndexedJSONObject) throws(DPoPError) -> ProofClaims {
        do {
            return try ProofClaims(parsing: payload)
        } catch {
            throw DPoPError(.invalidProof, error.reason, step: .requiredClaims, underlying: error)
        }
    }
}
