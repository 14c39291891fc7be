// SPDX-License-Identifier: Apache-2.0

import DPoP
import ServerStorage

extension Services {
    /// The verifier for proofs of a client, which may have its own nonce policy.
    ///
    /// Proofs of an attested client always need a nonce, which is the challenge
    /// (draft-ietf-oauth-attestation-based-client-auth-11 section 7.3).
    func verifier(for client: RegisteredClient?) -> DPoPProofVerifier {
        if let client, client.isAttested { return verifier.demanding(.required) }
        return client?.noncePolicy.map { verifier.demanding($0) } ?? verifier
    }
}
