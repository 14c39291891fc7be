// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthCore

/// RFC 9449 section 10.1: a pushed request with a proof binds the code to its key, and `dpop_jkt` names the same one.
struct CheckPushedKey: Check {
    let section = "RFC 9449 section 10.1"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        guard let proof = request.proof else { return }
        guard request.dpopThumbprint == nil || request.dpopThumbprint == proof.thumbprint else {
            throw ProtocolFailure(.invalidDPoPProof, "the proof is of another key than dpop_jkt")
        }
        request.dpopThumbprint = proof.thumbprint
    }
}
