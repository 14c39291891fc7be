// SPDX-License-Identifier: Apache-2.0

import DPoP

extension Services {
    /// The verifier for proofs of a client, which may have a nonce policy of its own.
    func verifier(for client: RegisteredClient?) -> DPoPProofVerifier {
        guard let nonces = client?.noncePolicy else { return verifier }
        var policy = verifier.policy
        policy.nonces = nonces
        return DPoPProofVerifier(policy: policy, nonces: self.nonces.authorizationServer)
    }
}
