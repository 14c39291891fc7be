// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthCore
import ServerStorage

/// RFC 9449 section 5: a refresh token that is bound to a key is used with a proof of that key.
struct CheckRefreshKeyBinding: Rule {
    let section = "RFC 9449 section 5"

    func check(_ request: RefreshRequest, _ services: Services) throws(ProtocolFailure) {
        guard let expected = request.refreshToken.dpopThumbprint else { return }
        guard let proof = request.proof else {
            throw ProtocolFailure.missingProof("the refresh token is")
        }
        guard proof.thumbprint == expected else {
            throw ProtocolFailure(.invalidGrant, "the proof is of another key than the refresh token is bound to")
        }
    }
}
