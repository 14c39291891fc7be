// SPDX-License-Identifier: Apache-2.0

import JOSE

extension TokenIssuer {
    /// The claims of an access token of this server, also of one that has expired; `nil` for anything else.
    func claimsIgnoringExpiry(of accessToken: String) -> JWTClaims? {
        guard let jws = try? CompactJWS(parsing: accessToken),
            let type = jws.header["typ"]?.stringValue, MediaType.isSame(type, "at+jwt"),
            jws.isSigned(byOneOf: keys.now.verificationKeys)
        else { return nil }
        return try? JWTClaims(jws.payloadObject())
    }
}

extension CompactJWS {
    /// Whether one of the keys has signed it, with the algorithm that the key is for.
    func isSigned(byOneOf keys: JWKSet) -> Bool {
        keys.keys.contains { key in
            key.algorithm.map { (try? verify(with: key, allowing: [$0])) != nil } ?? false
        }
    }
}
