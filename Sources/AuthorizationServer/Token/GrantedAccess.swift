// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// The access that a token carries: the part of the grant that applies to its APIs.
struct GrantedAccess: Sendable {
    let target: AccessTokenTarget
    let scope: Scope
    let details: [AuthorizationDetail]
    /// The lifetime of the token.
    ///
    /// Never longer than that of a token it was exchanged for (RFC 8693 section 2.2.1), nor than the grant lasts.
    let lifetime: Duration

    /// Narrows a grant to the scope, APIs and details that a request asks for.
    ///
    /// - Parameters:
    ///   - scope: The requested scope.
    ///   - grant: The grant.
    ///   - client: The client; a scope or a type of details that it may no longer request, or that the server no longer has,
    ///     is left out, also if it was granted before.
    ///   - target: The requested APIs; `nil` for those of the grant.
    ///   - details: The requested authorization details; `nil` for all of the grant.
    ///   - lifetime: The longest lifetime of the token; `nil` for the lifetime that its APIs allow.
    ///   - now: The time.
    ///   - configuration: The configuration of the server.
    /// - Throws: A failure if no single token can be for all of these APIs, or nothing is left of the scope or the details.
    init(
        _ scope: Scope,
        under grant: Grant,
        to client: RegisteredClient,
        target: AccessTokenTarget? = nil,
        details: [AuthorizationDetail]? = nil,
        lifetime: Duration? = nil,
        at now: Timestamp,
        _ configuration: ServerConfiguration
    ) throws(ProtocolFailure) {
        let target = if let target { target } else { try AccessTokenTarget(of: grant, configuration) }
        self.target = target
        let inForce = try configuration.inForce(scope, details ?? grant.authorizationDetails, for: client)
        self.scope = configuration.scope(inForce.scope, of: target.resources)
        self.details = target.details(inForce.details)
        let left = configuration.lifetimes.end(of: grant).map { $0 - now }
        self.lifetime = min(target.lifetime, lifetime ?? target.lifetime, left ?? target.lifetime)
    }
}
