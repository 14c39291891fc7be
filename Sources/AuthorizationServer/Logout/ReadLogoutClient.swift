// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Reads the client of a logout request, if it names one (OpenID Connect RP-Initiated Logout section 2).
struct ReadLogoutClient: Read {
    let section = "OpenID Connect RP-Initiated Logout section 2"

    func run(
        _ request: LogoutRequest,
        _ services: Services
    ) async throws(ProtocolFailure) -> Found<LogoutRequest, RegisteredClient> {
        guard let clientID = try? request.clientID() else { return Found(base: request, value: nil) }
        return Found(base: request, value: try await services.stored { try await $0.client(clientID) })
    }
}
