// SPDX-License-Identifier: Apache-2.0

import JOSE

/// RFC 9449 section 4.3, check 2: the value is one well-formed JWT.
///
/// Sizes are capped before anything is decoded.
enum CheckWellFormed {
    struct Token {
        let jws: CompactJWS
        let payload: JSONObject
    }

    static func run(_ value: String, maximumLength: Int) throws(DPoPError) -> Token {
        do {
            let jws = try CompactJWS(parsing: value, maximumLength: maximumLength)
            let payload = try jws.payloadObject()
            return Token(jws: jws, payload: payload)
        } catch {
            // A missing `alg` shows while the header is read, but is the subject of another check.
            let step: ProofStep = error.code == .algorithmNotAllowed ? .algorithm : .wellFormed
            throw DPoPError(.invalidProof, "the proof is not a JWT: \(error.reason)", step: step, underlying: error)
        }
    }
}
