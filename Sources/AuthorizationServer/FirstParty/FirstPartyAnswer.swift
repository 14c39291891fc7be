// SPDX-License-Identifier: Apache-2.0

import DPoP
import ServerStorage

/// The answer to a step that its session offers.
struct FirstPartyAnswer: ProvenStage {
    let base: FirstPartyContinuation
    let step: any SignInStep

    var clientRequest: ClientRequest { base.clientRequest }
    var proof: VerifiedProof? { base.proof }
    var session: StoredFirstPartySession { base.session }
}
