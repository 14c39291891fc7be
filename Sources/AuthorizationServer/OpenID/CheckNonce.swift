// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// OpenID Connect Core section 3.1.2.1: `nonce` is returned unchanged in the ID token; its length is limited.
struct CheckNonce: Check {
    let section = "OpenID Connect Core section 3.1.2.1"

    func run(
        _ request: consuming DraftAuthorizationRequest,
        _ services: Services
    ) throws(ProtocolFailure) -> DraftAuthorizationRequest {
        let nonce = try request.parameter("nonce")
        guard nonce?.utf8.count ?? 0 <= 2048 else {
            throw ProtocolFailure(.invalidRequest, "the nonce is longer than 2048 bytes")
        }
        request.authorization.authentication.nonce = nonce
        return request
    }
}
