// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage

extension HTTPResponse {
    /// Adds a new nonce if the client's is about to expire (RFC 9449 section 8.2).
    mutating func offerNonce(after request: some ProvenStage, _ services: Services) {
        guard let proof = request.proof else { return }
        fields["DPoP-Nonce"] = services.verifier(for: request.client).nonceToOffer(after: proof, at: request.now)
    }
}
