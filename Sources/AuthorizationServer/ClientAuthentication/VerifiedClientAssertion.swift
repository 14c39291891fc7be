// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import ServerStorage

/// What is remembered of a client's assertion, so that it works once (RFC 7523 section 3).
struct VerifiedClientAssertion: Sendable {
    /// Belongs to the client: nobody can use up another one's `jti`.
    let key: ReplayKey
    /// When the assertion is refused by its age.
    let end: Timestamp

    /// `nil` for an assertion without `jti` or `exp`.
    init?(_ claims: JWTClaims, of client: RegisteredClient, leeway: Duration) {
        guard let jti = claims.tokenID, let expiresAt = claims.expiresAt,
            let key = ReplayKey(tokenID: jti, kind: "client_assertion", of: client.clientID)
        else { return nil }
        self.key = key
        end = expiresAt + leeway
    }
}
