// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RP-Initiated Logout section 2: the client is the one of `client_id`, or of the `id_token_hint`; both may be missing.
struct CheckLogoutClient: Check {
    let section = "OpenID Connect RP-Initiated Logout section 2"

    func run(
        _ request: Found<LogoutRequest, RegisteredClient>,
        _ services: Services
    ) throws(ProtocolFailure) -> SignOutRequest {
        let logout = request.base
        guard try logout.clientID() != nil else { return SignOutRequest(logout: logout, client: nil) }
        guard let client = request.value else {
            throw ProtocolFailure(.invalidClient, "the client is not registered")
        }
        RequestTrace.current?.clientID = client.clientID
        return SignOutRequest(logout: logout, client: client)
    }
}
