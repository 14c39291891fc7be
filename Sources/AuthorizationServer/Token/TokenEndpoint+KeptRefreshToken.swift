// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

extension TokenEndpoint {
    /// FAPI 2.0 section 5.3.2.1: the refresh token is not rotated, only its expiry is extended.
    ///
    /// The client assertion binds it to the client's key. Rotation would add no security, and a client that loses a
    /// response would lose its token.
    func keepRefreshToken(
        _ old: StoredRefreshToken,
        under grant: Grant,
        _ access: GrantedAccess,
        _ request: TokenRequest
    ) async throws(ProtocolFailure) -> GrantedTokens {
        let tokens = try await GrantedTokens(
            under: grant,
            access,
            keeping: RefreshToken(try request.requiredParameter("refresh_token")),
            for: request,
            services
        )
        let (now, end) = (request.now, request.now + services.configuration.lifetimes.refreshToken)
        guard try await services.stored({ try await $0.prolong(old.tokenHash, until: end, at: now) }) else {
            throw .refreshTokenRejected
        }
        return tokens
    }
}
