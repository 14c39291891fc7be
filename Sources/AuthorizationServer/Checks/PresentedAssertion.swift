// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE

/// What is remembered of a client's assertion, so that it works once (RFC 7523 section 3).
struct PresentedAssertion {
    /// Belongs to the client: nobody can use up another one's `jti`.
    let key: ReplayKey
    /// When the assertion is refused by its age.
    let end: Timestamp

    /// `nil` for an assertion without `jti` or `exp`.
    init?(_ claims: JWTClaims, of client: RegisteredClient, leeway: Duration) {
        // What stands for the client is no thumbprint of any key, and is counted like one.
        let owner = SecretHash(of: "client_assertion\u{0}" + client.clientID)
        guard let jti = claims.tokenID, let expiresAt = claims.expiresAt,
            let thumbprint = try? JWKThumbprint(Base64URL.encode(owner.bytes))
        else { return nil }
        key = ReplayKey(owner: thumbprint, jti: jti)
        end = expiresAt + leeway
    }
}
