// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore

/// RFC 6750 section 3.1: the token has the scope that the request needs.
struct CheckScope {
    static func run(_ claims: JWTClaims, needed: Scope, _ challenges: ChallengeWriter) throws(Rejection) -> Scope {
        let scope = claims.string("scope").flatMap { try? Scope(parsing: $0) } ?? .empty
        guard needed.isSubset(of: scope) else { throw challenges.insufficientScope(needed) }
        return scope
    }
}
