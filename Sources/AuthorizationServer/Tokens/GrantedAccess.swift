// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// What an access token is good for: of what was granted, the part that concerns its APIs.
struct GrantedAccess: Sendable {
    let target: AccessTokenTarget
    let scope: Scope
    let details: [AuthorizationDetail]

    /// Narrows a scope, and what else was granted, to what a request asks for.
    init(
        _ scope: Scope,
        under grant: Grant,
        for request: ProtocolRequest,
        _ configuration: ServerConfiguration
    ) throws(ProtocolFailure) {
        target =
            if let target = request.target { target } else { try AccessTokenTarget(of: grant, configuration) }
        self.scope = configuration.scope(scope, of: target.resources)
        details = target.details(request.authorizationDetails ?? grant.authorizationDetails)
    }
}
