// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthCore
import ServerStorage

/// RFC 9449 section 10: a code that is bound to a key is redeemed with a proof of that key.
struct CheckCodeKeyBinding: Rule {
    let section = "RFC 9449 section 10"

    func check(_ request: CodeRequest, _ services: Services) throws(ProtocolFailure) {
        guard let expected = request.code.dpopThumbprint else { return }
        guard let proof = request.proof else {
            throw ProtocolFailure.missingProof("the code is")
        }
        guard proof.thumbprint == expected else {
            throw ProtocolFailure(.invalidGrant, "the proof is of another key than the code is bound to")
        }
    }
}
