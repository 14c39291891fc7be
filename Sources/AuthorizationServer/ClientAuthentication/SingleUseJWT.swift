// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import ServerStorage

/// A JWT that a client signed and that can be used once: its assertion (RFC 7523 section 3), or its authorization
/// request (RFC 9101 section 10.2).
struct SingleUseJWT: Sendable {
    /// What such a JWT is for: a `jti` of one kind does not count for another.
    enum Kind: String {
        case clientAssertion = "client_assertion"
        case requestObject = "request_object"
    }

    let kind: Kind
    /// Contains the client: no client can use up the `jti` of another.
    let key: ReplayKey
    /// Until when its use is remembered: longer than it could be accepted.
    let end: Timestamp

    /// `nil` for one without `jti` or `exp`.
    init?(_ kind: Kind, _ claims: JWTClaims, of client: RegisteredClient, leeway: Duration) {
        guard let jti = claims.tokenID, let expiresAt = claims.expiresAt,
            let key = ReplayKey(tokenID: jti, kind: kind.rawValue, of: client.clientID)
        else { return nil }
        (self.kind, self.key) = (kind, key)
        end = expiresAt + leeway + ReplayKey.margin
    }
}
