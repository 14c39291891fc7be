// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import OAuthSystem
import StrictJSON

/// The challenge endpoint (draft-ietf-oauth-attestation-based-client-auth-11 section 6.3).
///
/// A challenge is a DPoP nonce, since the DPoP proof is the proof of possession: nothing is stored, and it may be used
/// until it is too old.
struct AttestationChallengeEndpoint: Sendable {
    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        let verifier = services.verifier.demanding(.required)
        guard let nonce = verifier.nonceToOffer(after: nil, at: services.clock.now()) else {
            return .failure(.unavailable)
        }
        var response = HTTPResponse.json(["attestation_challenge": .string(nonce)])
        response.fields["DPoP-Nonce"] = nonce
        return response
    }
}
