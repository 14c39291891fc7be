// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 6749 section 6: a refreshed access token may have less scope than was granted, never more.
struct CheckRefreshScope: Check {
    let section = "RFC 6749 section 6"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        let token = try request.established(request.refreshToken)
        guard let text = try request.parameter("scope") else {
            request.scope = token.scope
            return
        }
        guard let scope = try? Scope(parsing: text), scope.isSubset(of: token.scope) else {
            throw ProtocolFailure(.invalidScope, "the scope is not within what was granted")
        }
        request.scope = scope
    }
}
