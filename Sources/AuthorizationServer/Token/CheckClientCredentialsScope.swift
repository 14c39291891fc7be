// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// OpenID Connect Core section 3.1.2.1: a client credentials grant has no user, so it gets no scope about a user.
struct CheckClientCredentialsScope<Base: ClientStage>: Check {
    let section = "OpenID Connect Core section 3.1.2.1"

    func run(
        _ request: consuming ScopedRequest<Base>,
        _ services: Services
    ) throws(ProtocolFailure) -> ScopedRequest<Base> {
        let configuration = services.configuration
        guard request.scope.tokens.contains(where: configuration.isAboutPerson) else { return request }
        guard try request.parameter("scope") == nil else {
            throw ProtocolFailure(.invalidScope, "a client that acts for itself gets no scope about a person")
        }
        let scope = (try? Scope(request.scope.tokens.filter { !configuration.isAboutPerson($0) })) ?? .empty
        return ScopedRequest(base: request.base, scope: scope)
    }
}
