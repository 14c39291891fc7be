// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// OpenID Connect Core section 3.1.2.1: `login_hint` is a user name for the login page; its length is limited.
struct CheckLoginHint: Check {
    let section = "OpenID Connect Core section 3.1.2.1"

    func run(
        _ request: consuming DraftAuthorizationRequest,
        _ services: Services
    ) throws(ProtocolFailure) -> DraftAuthorizationRequest {
        let hint = try request.parameter("login_hint")
        guard hint?.utf8.count ?? 0 <= 1024 else {
            throw ProtocolFailure(.invalidRequest, "the login_hint is longer than 1024 bytes")
        }
        request.authorization.authentication.loginHint = hint
        return request
    }
}
