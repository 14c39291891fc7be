// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RP-Initiated Logout section 2: the client is the one of `client_id`, or of the `id_token_hint`; both may be missing.
struct CheckLogoutClient: Check {
    let section = "OpenID Connect RP-Initiated Logout section 2"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        guard let clientID = try request.parameter("client_id") ?? request.idTokenHint?.clientID else { return }
        request.client = try await services.stored { try await $0.client(clientID) }
        guard request.client != nil else { throw ProtocolFailure(.invalidClient, "the client is not registered") }
    }
}
