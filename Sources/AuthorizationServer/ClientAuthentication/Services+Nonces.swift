// SPDX-License-Identifier: Apache-2.0

import DPoP
import ServerStorage

extension Services {
    /// The verifier for proofs of a client, which may have its own nonce policy.
    func verifier(for client: RegisteredClient?) -> DPoPProofVerifier {
        client?.noncePolicy.map { verifier.demanding($0) } ?? verifier
    }
}
