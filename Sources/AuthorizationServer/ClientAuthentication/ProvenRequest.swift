// SPDX-License-Identifier: Apache-2.0

import DPoP

/// A request whose proof is checked, if it has one; what else is known of it stays.
struct ProvenRequest<Base: ClientStage>: ProvenStage {
    var base: Base
    let proof: VerifiedProof?

    var clientRequest: ClientRequest { base.clientRequest }
}

/// A token request whose client and proof are checked: what every grant type begins with (RFC 6749 section 3.2).
typealias TokenRequest = ProvenRequest<ClientRequest>
