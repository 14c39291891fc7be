// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import StrictJSON

extension IDToken {
    /// Checks that the claims of an id_token from a refresh are about the same sign-in.
    ///
    /// ## Specification
    ///
    /// [OpenID Connect Core §12.2](https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokenResponse)
    func requireContinuation(by newer: JWTClaims) throws(JOSEError) {
        guard newer.issuer?.isIdentical(to: issuer) ?? false else { throw Self.differs("iss") }
        guard newer.subject?.isIdentical(to: subject) ?? false else { throw Self.differs("sub") }
        guard Self.areSame(newer.audience, audience) else { throw Self.differs("aud") }
        guard newer.object["azp"] == claims.object["azp"] else { throw Self.differs("azp") }
        if let newest = newer.issuedAt, let issuedAt, newest < issuedAt {
            throw JOSEError(.invalidClaim, "'iat' is older than that of the id_token before")
        }
        if let time = try newer.object.optionalDate("auth_time"), let authTime, time != authTime {
            throw Self.differs("auth_time")
        }
        guard let received = try newer.object.optionalString("nonce") else { return }
        guard let nonce, received.isIdenticalInConstantTime(to: nonce) else { throw Self.differs("nonce") }
    }

    /// Compares byte by byte, in any order.
    private static func areSame(_ left: [String], _ right: [String]) -> Bool {
        let order: (String, String) -> Bool = { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let (left, right) = (left.sorted(by: order), right.sorted(by: order))
        return left.count == right.count && zip(left, right).allSatisfy { $0.isIdentical(to: $1) }
    }

    private static func differs(_ name: String) -> JOSEError {
        JOSEError(.invalidClaim, "'\(name)' differs from that of the id_token before")
    }
}
