// SPDX-License-Identifier: Apache-2.0

import JOSE

/// RFC 9449 section 4.3, check 3: all required claims are there, each of its type (section 4.2).
enum CheckRequiredClaims {
    static func run(_ payload: JSONObject) throws(DPoPError) -> ProofClaims {
        do {
            let jti = try payload.requiredString("jti")
            // Section 11.1: what is remembered for each proof must be bounded.
            guard !jti.isEmpty, jti.utf8.count <= 256 else {
                throw JOSEError(.invalidClaim, "'jti' is empty or longer than 256 bytes")
            }
            guard let issuedAt = try payload.optionalDate("iat") else {
                throw JOSEError(.invalidClaim, "'iat' is missing")
            }
            return ProofClaims(
                jti: jti,
                htm: try payload.requiredString("htm"),
                htu: try payload.requiredString("htu"),
                issuedAt: issuedAt,
                accessTokenHash: try payload.optionalString("ath"),
                nonce: try payload.optionalString("nonce"),
                expiresAt: try payload.optionalDate("exp"),
                notBefore: try payload.optionalDate("nbf")
            )
        } catch let error as JOSEError {
            throw DPoPError(.invalidProof, error.reason, step: .requiredClaims, underlying: error)
        } catch {
            throw DPoPError(.invalidProof, "the claims cannot be read", step: .requiredClaims, underlying: error)
        }
    }
}
