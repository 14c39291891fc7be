// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 6749 section 3.3: the scope exists and the client is registered for it; the default is all of the client's
/// scope.
struct CheckScope<Stage: ClientStage>: Check {
    let section = "RFC 6749 section 3.3"

    func run(_ request: Stage, _ services: Services) throws(ProtocolFailure) -> ScopedRequest<Stage> {
        // A scope that the operator removed is no longer granted to clients that were registered for it.
        let allowed = request.client.scope.intersection(services.configuration.existingScope)
        guard let text = try request.parameter("scope") else {
            return ScopedRequest(base: request, scope: allowed)
        }
        guard let scope = try? Scope(parsing: text) else {
            throw ProtocolFailure(.invalidScope, "the scope is not a list of words with one space between")
        }
        guard scope.isSubset(of: allowed) else {
            throw ProtocolFailure(.invalidScope, "the scope does not exist, or the client is not registered for it")
        }
        return ScopedRequest(base: request, scope: scope)
    }
}
