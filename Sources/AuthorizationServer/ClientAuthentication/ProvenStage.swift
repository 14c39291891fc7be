// SPDX-License-Identifier: Apache-2.0

import DPoP

/// A stage at which the proof is checked; `nil` when the request needs none and has none.
protocol ProvenStage: ClientStage {
    var proof: VerifiedProof? { get }
}
