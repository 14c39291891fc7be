// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import ServerStorage

/// The record of a client assertion, so that it can be used once (RFC 7523 section 3).
struct VerifiedClientAssertion: Sendable {
    /// Contains the client: no client can use up the `jti` of another.
    let key: ReplayKey
    /// The time from which the assertion is rejected as expired.
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
