// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthCore
import ServerStorage

/// RFC 9449 section 10.1: a proof in a pushed request binds the code to its key; `dpop_jkt`, if present, names that
/// key.
struct CheckPushedKey: Check {
    let section = "RFC 9449 section 10.1"

    func run(
        _ request: consuming ProvenRequest<DraftAuthorizationRequest>,
        _ services: Services
    ) throws(ProtocolFailure) -> ProvenRequest<DraftAuthorizationRequest> {
        guard let proof = request.proof else { return request }
        let expected = request.base.authorization.dpopThumbprint
        guard expected == nil || expected == proof.thumbprint else {
            throw ProtocolFailure(.invalidDPoPProof, "the proof is of another key than dpop_jkt")
        }
        request.base.authorization.dpopThumbprint = proof.thumbprint
        return request
    }
}
