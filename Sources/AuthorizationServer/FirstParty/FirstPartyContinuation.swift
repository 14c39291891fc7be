// SPDX-License-Identifier: Apache-2.0

import DPoP
import ServerStorage

/// A request that continues an open session of its client and key.
struct FirstPartyContinuation: ProvenStage {
    let base: ProvenRequest<ClientRequest>
    let session: StoredFirstPartySession

    var clientRequest: ClientRequest { base.clientRequest }
    var proof: VerifiedProof? { base.proof }
}
