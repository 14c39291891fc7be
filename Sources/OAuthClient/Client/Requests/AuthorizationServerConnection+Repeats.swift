// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import OAuthCore
import OAuthSystem

/// Repeats requests that the authorization server rejected for a reason that the client can remove, once each: a nonce that it
/// demands (RFC 9449 section 8), the clock of the device, an attestation that it calls too old.
extension AuthorizationServerConnection {
    /// Posts a form that is built again for each attempt, with a proof if there is a key.
    ///
    /// The request is repeated once if the server demands a nonce that it had not sent before, once if the clock of the
    /// device was wrong, and once if it calls the attestation too old. Each attempt has its own proof and its own client
    /// assertion.
    func post(
        to endpoint: URI,
        accepting mediaType: String = "application/json",
        provingWith context: DPoPContext?,
        _ attempt: inout RequestAttempt,
        making form: () async throws(OAuthClientError) -> FormParameters
    ) async throws(OAuthClientError) -> HTTPResponse {
        var repeats = SingleRepeats()
        while true {
            let offset = clock.offset
            var request = try await authenticator.request(form(), to: endpoint, provingWith: context)
            let proof = try await proof(for: endpoint, context)
            request.fields["Accept"] = mediaType
            request.fields["DPoP"] = proof?.value
            let sent = clock.deviceTime()
            let response = try await exchange(&request, attempt)
            // Only a rejection of these requests sets the clock: a cached response may have an old `Date`.
            let didSetClock = clock.learn(date: response.fields["Date"], sent: sent, used: offset)
            let didLearnNonce = Self.learn(from: response, proof, context)
            let verdict = ProofResult(response)
            if verdict.demandsNonce, didLearnNonce, repeats.use(.nonce) {
                attempt.repeats(because: .nonce)
            } else if refusesTime(verdict), didSetClock, repeats.use(.clock) {
                attempt.repeats(because: .clock)
            } else if let old = staleAttestation(verdict, request), repeats.use(.attestation) {
                await authenticator.attestations?.forget(old)
                attempt.repeats(because: .attestation)
            } else {
                try requireCredibleTime(verdict, response, sent)
                try requireAcceptedAttestation(verdict, response)
                if context != nil { troubles.refused(verdict) }
                return response
            }
        }
    }

    /// Whether the server may have rejected the request because of its time.
    private func refusesTime(_ verdict: ProofResult) -> Bool {
        verdict.refusesProof || verdict.refusesRequestObject || (verdict.refusesClient && authenticator.tellsTime)
    }

    /// The attestation of a request, if the server calls it too old
    /// (draft-ietf-oauth-attestation-based-client-auth-11 section 7.4).
    private func staleAttestation(_ verdict: ProofResult, _ request: HTTPRequest) -> String? {
        verdict.demandsFreshAttestation ? request.fields[ClientAttestationField.attestation] : nil
    }
}
