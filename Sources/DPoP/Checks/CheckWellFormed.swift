// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON

/// RFC 9449 section 4.3, check 2: the value is one well-formed JWT.
///
/// Sizes are capped before anything is decoded.
enum CheckWellFormed {
    struct Token {
        let jws: CompactJWS
        let payload: IndexedJSONObject
        /// What is known of the header, when it was read before.
        let knownHeader: VerifiedHeader?
    }

    static func run(_ value: String, maximumLength: Int, _ headers: HeaderCache) throws(DPoPError) -> Token {
        do {
            let encoded = try EncodedJWS(value, maximumLength: maximumLength)
            let known = headers.header(of: encoded)
            let jws = try CompactJWS(decoding: encoded, knownHeader: known?.jwsHeader)
            return Token(jws: jws, payload: try jws.foldedPayload(), knownHeader: known)
        } catch {
            // A missing `alg` shows while the header is read, but is the subject of another check.
            let step: ProofStep = error.code == .algorithmNotAllowed ? .algorithm : .wellFormed
            throw DPoPError(.invalidProof, "the proof is not a JWT: \(error.reason)", step: step, underlying: error)
        }
    }
}
