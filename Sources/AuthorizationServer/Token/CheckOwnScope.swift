// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// OpenID Connect Core section 3.1.2.1: what a client gets for itself is about no person, so no scope is about one.
struct CheckOwnScope: Check {
    let section = "OpenID Connect Core section 3.1.2.1"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        let aboutPeople = Scope.aboutPeople
        guard aboutPeople.contains(where: request.scope.contains) else { return }
        guard try request.parameter("scope") == nil else {
            throw ProtocolFailure(.invalidScope, "a client that acts for itself gets no scope about a person")
        }
        request.scope = (try? Scope(request.scope.tokens.filter { !aboutPeople.contains($0) })) ?? .empty
    }
}
