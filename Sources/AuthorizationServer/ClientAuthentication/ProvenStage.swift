// SPDX-License-Identifier: Apache-2.0

import DPoP

/// A stage after the check of the proof; `nil` if the request has none and needs none.
protocol ProvenStage: ClientStage {
    var proof: VerifiedProof? { get }
}
