// SPDX-License-Identifier: Apache-2.0

import DPoP
import ServerStorage

/// A token request with a refresh token that was issued to its client (RFC 6749 section 6).
struct RefreshRequest: GrantStage, ProvenStage {
    let token: TokenRequest
    /// The refresh token as presented.
    let presented: GrantSecret
    let refreshToken: StoredRefreshToken
    let grant: Grant?

    var clientRequest: ClientRequest { token.base }
    var proof: VerifiedProof? { token.proof }
}
