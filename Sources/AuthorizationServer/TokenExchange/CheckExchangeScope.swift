// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 8693 section 2.1: the new scope is within that of the subject token and that of the client.
struct CheckExchangeScope<Base: ExchangeStage>: Check {
    let section = "RFC 8693 section 2.1"

    func run(_ request: Base, _ services: Services) throws(ProtocolFailure) -> ScopedRequest<Base> {
        let allowed = request.exchange.subject.scope
            .intersection(request.client.scope)
            .intersection(services.configuration.existingScope)
        guard let text = try request.parameter("scope") else {
            return ScopedRequest(base: request, scope: allowed)
        }
        guard let scope = try? Scope(parsing: text), scope.isSubset(of: allowed) else {
            throw ProtocolFailure(.invalidScope, "the scope is not within that of the subject token and of the client")
        }
        return ScopedRequest(base: request, scope: scope)
    }
}
