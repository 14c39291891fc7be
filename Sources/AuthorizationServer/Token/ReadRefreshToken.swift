// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Reads the refresh token of a token request (RFC 6749 section 6), after client and proof are checked, as
/// ``ReadCode``.
struct ReadRefreshToken: Read {
    let section = "RFC 6749 section 6"

    func run(
        _ request: TokenRequest,
        _ services: Services
    ) async throws(ProtocolFailure) -> Found<TokenRequest, StoredRefreshToken> {
        guard let hash = request.hash(of: "refresh_token") else { return Found(base: request, value: nil) }
        return Found(base: request, value: try await services.stored { try await $0.refreshToken(hash) })
    }
}
