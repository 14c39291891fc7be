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
    ///
    /// - Parameters:
    ///   - scope: The scope that is asked for.
    ///   - grant: What was granted.
    ///   - target: The APIs that are asked for; `nil` for those of the grant.
    ///   - details: The details that are asked for; `nil` for all of the grant.
    ///   - lifetime: How long the token may live; `nil` for as long as its APIs let it.
    ///   - configuration: What exists here.
    /// - Throws: A failure when no token can be for all of these APIs.
    init(
        _ scope: Scope,
        under grant: Grant,
        target: AccessTokenTarget? = nil,
        details: [AuthorizationDetail]? = nil,
        lifetime: Duration? = nil,
        _ configuration: ServerConfiguration
    ) throws(ProtocolFailure) {
        let target = if let target { target } else { try AccessTokenTarget(of: grant, configuration) }
        self.target = target
        self.scope = configuration.scope(scope, of: target.resources)
        self.details = target.details(details ?? grant.authorizationDetails)
        self.lifetime = min(target.lifetime, lifetime ?? target.lifetime)
    }
}
