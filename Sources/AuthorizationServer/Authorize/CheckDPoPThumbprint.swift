// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import ServerStorage

/// RFC 9449 section 10: `dpop_jkt` is the SHA-256 thumbprint of a key.
struct CheckDPoPThumbprint: Check {
    let section = "RFC 9449 section 10"

    func run(
        _ request: AccessRequest<ChallengedRequest>,
        _ services: Services
    ) throws(ProtocolFailure) -> DraftAuthorizationRequest {
        var draft = try DraftAuthorizationRequest(request)
        guard let text = try request.parameter("dpop_jkt") else { return draft }
        guard let thumbprint = try? JWKThumbprint(text) else {
            throw ProtocolFailure(.invalidRequest, "the dpop_jkt is not 43 characters of base64url")
        }
        draft.authorization.dpopThumbprint = thumbprint
        return draft
    }
}
