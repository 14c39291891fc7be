// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 6749 section 6: the refresh token exists and was issued to this client.
///
/// The transaction that rotates the token checks whether it was used or has expired.
struct CheckRefreshToken: Check {
    let section = "RFC 6749 section 6"

    func run(
        _ request: ProvenRequest<AuthenticatedRequest<RefreshTokenReads>>,
        _ services: Services
    ) throws(ProtocolFailure) -> RefreshRequest {
        _ = try request.requiredParameter("refresh_token")
        let reads = request.base.reads
        guard let presented = request.secret(in: "refresh_token", as: .refreshToken),
            let refreshToken = reads.refreshToken,
            refreshToken.clientID.isIdentical(to: request.client.clientID)
        else { throw .refreshTokenRejected }
        return RefreshRequest(
            token: request.tokenRequest(),
            presented: presented,
            refreshToken: refreshToken,
            grant: reads.grant
        )
    }
}

extension ProtocolFailure {
    /// One error for every invalid refresh token.
    static let refreshTokenRejected = ProtocolFailure(
        .invalidGrant,
        "the refresh token is unknown, expired, used before, revoked, or of another client"
    )
}
