// SPDX-License-Identifier: Apache-2.0

import JOSE

/// RFC 9449 section 4.3, check 2: the value is one well-formed JWT.
///
/// Lengths are limited before anything is decoded.
enum CheckWellFormed {
    struct Token {
        let jws: CompactJWS
        let payload: IndexedJSONObject
        /// The cached header, if it was parsed before.
        let knownHeader: VerifiedHeader?
    }

    static func run(_ value: String, maximumLength: Int, _ headers: HeaderCache) throws(DPoPError) -> Token {
        do {
            let encoded = try EncodedJWS(value, maximumLength: maximumLength)
            let known = headers.header(of: encoded)
            let jws = try CompactJWS(decoding: encoded, knownHeader: known?.jwsHeader)
            return Token(jws: jws, payload: try jws.foldedPayload(), knownHeader: known)
        } catch {
            // A missing `alg` is found while the header is parsed, but belongs to another check.
            let step: ProofStep = error.code == .algorithmNotAllowed ? .algorithm : .wellFormed
            throw DPoPError(.invalidProof, "the proof is not a JWT: \(error.reason)", step: step, underlying: error)
        }
    }
}
