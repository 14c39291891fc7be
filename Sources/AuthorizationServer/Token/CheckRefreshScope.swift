// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 6749 section 6: a refreshed access token may have a narrower scope than the grant, never a wider one.
struct CheckRefreshScope: Check {
    let section = "RFC 6749 section 6"

    func run(_ request: RefreshRequest, _ services: Services) throws(ProtocolFailure) -> ScopedRequest<RefreshRequest> {
        let granted = request.refreshToken.scope
        guard let text = try request.parameter("scope") else {
            return ScopedRequest(base: request, scope: granted)
        }
        guard let scope = try? Scope(parsing: text), scope.isSubset(of: granted) else {
            throw ProtocolFailure(.invalidScope, "the scope is not within what was granted")
        }
        return ScopedRequest(base: request, scope: scope)
    }
}
