// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// What an access token is good for: of what was granted, the part that concerns its APIs.
struct GrantedAccess: Sendable {
    let target: AccessTokenTarget
    let scope: Scope
    let details: [AuthorizationDetail]
    /// How long the token lives: never longer than one that it was exchanged for (RFC 8693 section 2.2.1).
    let lifetime: Duration

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
        let left: Duration? = request.exchange.map { $0.subject.expiresAt - request.now }
        lifetime = min(target.lifetime, left ?? target.lifetime)
    }
}
