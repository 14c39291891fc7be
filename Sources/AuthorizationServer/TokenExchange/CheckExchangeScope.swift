// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 8693 section 2.1: an exchange gives no more scope than the subject token has, and than the client is registered for.
struct CheckExchangeScope: Check {
    let section = "RFC 8693 section 2.1"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        let client = try request.established(request.client)
        let allowed = try request.established(request.exchange).subject.scope
            .intersection(client.scope)
            .intersection(services.configuration.existingScope)
        guard let text = try request.parameter("scope") else {
            request.scope = allowed
            return
        }
        guard let scope = try? Scope(parsing: text), scope.isSubset(of: allowed) else {
            throw ProtocolFailure(.invalidScope, "the scope is not within that of the subject token and of the client")
        }
        request.scope = scope
    }
}
