// SPDX-License-Identifier: Apache-2.0

import DPoP
import ServerStorage

/// A token request with a refresh token that was issued to its client (RFC 6749 section 6).
struct RefreshRequest: GrantStage, ProvenStage {
    let token: TokenRequest
    let refreshToken: StoredRefreshToken

    var clientRequest: ClientRequest { token.base }
    var proof: VerifiedProof? { token.proof }
    var grantID: String { refreshToken.grantID }
}
