// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON

/// RFC 9449 section 4.3, check 7: `jwk` is a public key of the type that `alg` needs.
///
/// Signature verification imports the point, and checks then that it is on the curve.
enum CheckPublicKey {
    static func run(_ header: JSONObject, algorithm: SignatureAlgorithm) throws(DPoPError) -> JWK {
        guard let object = header.object("jwk") else {
            throw DPoPError(.invalidProof, "the header has no object 'jwk'", step: .publicKey)
        }
        let key: JWK
        do {
            key = try JWK(parsingUnchecked: object)
        } catch {
            throw DPoPError(.invalidProof, "'jwk': \(error.reason)", step: .publicKey, underlying: error)
        }
        guard key.fits(algorithm) else {
            throw DPoPError(.invalidProof, "'alg' does not fit the key in 'jwk'", step: .publicKey)
        }
        return key
    }
}
