// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE

/// draft-ietf-oauth-attestation-based-client-auth-11 section 7.3: the DPoP proof is of the key that is attested.
///
/// So an attacker who reads an attestation cannot use it, and codes, sessions and tokens that are bound to the key of the proof
/// are bound to the installation of the client (draft-ietf-oauth-attestation-based-client-auth-11 section 10.3).
struct CheckAttestedKey<Stage: ProvenStage>: Rule {
    let section = "draft-ietf-oauth-attestation-based-client-auth-11 section 7.3"

    func check(_ request: Stage, _ services: Services) throws(ProtocolFailure) {
        guard let attestation = request.clientRequest.attestation else { return }
        guard request.proof?.thumbprint == attestation.thumbprint else {
            throw .attestationRefused(.key, of: attestation.attester)
        }
    }
}
