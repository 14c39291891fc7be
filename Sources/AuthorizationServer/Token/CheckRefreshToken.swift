// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 6749 section 6: the refresh token was given out, and to this client.
///
/// Whether it is spent or expired is decided when it is rotated, in the transaction that spends it.
struct CheckRefreshToken: Check {
    let section = "RFC 6749 section 6"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        let client = try request.established(request.client)
        let hash = SecretHash(of: try request.requiredParameter("refresh_token"))
        let token = try await services.stored { try await $0.refreshToken(hash) }
        guard let token, token.clientID.isIdentical(to: client.clientID) else { throw .refreshTokenRefused }
        request.refreshToken = token
    }
}

extension ProtocolFailure {
    /// One answer for every refresh token that does not work.
    static let refreshTokenRefused = ProtocolFailure(
        .invalidGrant,
        "the refresh token is unknown, expired, used before, revoked, or of another client"
    )
}
