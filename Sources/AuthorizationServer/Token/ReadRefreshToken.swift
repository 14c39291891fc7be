// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Reads the client, the refresh token and its grant (RFC 6749 section 6).
struct ReadRefreshToken: Read {
    let section = "RFC 6749 section 6"

    func run(
        _ request: FormRequest,
        _ services: Services
    ) async throws(ProtocolFailure) -> PresentedRequest<RefreshTokenReads> {
        let token = request.secret(in: "refresh_token", as: .refreshToken)
        return try await PresentedRequest(request, services) { storage, clientID in
            try await storage.reads(ofRefreshToken: token, for: clientID)
        }
    }
}
