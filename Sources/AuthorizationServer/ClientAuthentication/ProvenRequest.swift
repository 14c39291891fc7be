// SPDX-License-Identifier: Apache-2.0

import DPoP

/// A request after the check of its proof, if it has one.
struct ProvenRequest<Base: ClientStage>: ProvenStage {
    var base: Base
    let proof: VerifiedProof?

    var clientRequest: ClientRequest { base.clientRequest }
}

/// A token request with verified client and proof: the first stage of every grant type (RFC 6749 section 3.2).
typealias TokenRequest = ProvenRequest<ClientRequest>
