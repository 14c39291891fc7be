// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON

extension TokenIssuer {
    /// The claims of an access token of this server, expired or not; `nil` for anything else.
    ///
    /// The signature is verified in a batch with those of other requests, if batching is configured.
    func claimsIgnoringExpiry(
        of accessToken: String,
        with verifier: (any SignatureVerifier)?
    ) async throws(CancellationError) -> JWTClaims? {
        guard let jws = try? CompactJWS(parsing: accessToken),
            let type = jws.header["typ"]?.stringValue, MediaType.isSame(type, "at+jwt")
        else { return nil }
        let candidates = jws.candidates(in: keys.now.verificationKeys)
        let isSigned =
            if let verifier {
                try await verifier.isValid(jws, byOneOf: candidates)
            } else {
                candidates.contains { jws.isSigned(by: $0) }
            }
        return isSigned ? try? JWTClaims(jws.payloadObject()) : nil
    }
}

extension CompactJWS {
    /// Whether one of the keys signed the token with the algorithm of that key.
    func isSigned(byOneOf keys: JWKSet) -> Bool {
        candidates(in: keys).contains { isSigned(by: $0) }
    }

    /// The keys for the algorithm of the token.
    ///
    /// A key without `alg` is for none.
    fileprivate func candidates(in keys: JWKSet) -> [JWK] {
        keys.keys.filter { $0.algorithm == algorithm }
    }
}
