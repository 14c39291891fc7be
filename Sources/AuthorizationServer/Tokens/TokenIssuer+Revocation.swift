// SPDX-License-Identifier: Apache-2.0

import JOSE

extension TokenIssuer {
    /// The claims of an access token of this server, also of one that has expired; `nil` for anything else.
    func claimsIgnoringExpiry(of accessToken: String) -> JWTClaims? {
        guard let jws = try? CompactJWS(parsing: accessToken),
            let type = jws.header["typ"]?.stringValue, MediaType.isSame(type, "at+jwt"),
            (try? jws.verify(with: key.publicKey, allowing: [key.algorithm])) != nil
        else { return nil }
        return try? JWTClaims(jws.payloadObject())
    }
}
