// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import OAuthCore

/// Sends requests to the endpoints of the authorization server, with what shows who the client is, and a proof where one is
/// needed.
struct AuthorizationServerConnection: Sendable {
    let transport: any HTTPTransport
    let clock: ServerAdjustedClock
    let authenticator: ClientAuthenticator
    let troubles: KeyFailureReporter

    /// Sends a form, with a proof when there is a key.
    func post(
        _ form: FormParameters,
        to endpoint: URI,
        accepting mediaType: String = "application/json",
        provingWith context: DPoPContext? = nil
    ) async throws(OAuthClientError) -> HTTPResponse {
        try await post(to: endpoint, accepting: mediaType, provingWith: context) { form }
    }

    /// Sends a form that is made anew each time, with a proof when there is a key.
    ///
    /// It is sent once more with the server's nonce when the server demands one that it had not given before, and once more
    /// when the clock of the device turned out to be wrong; each time with a proof and a client assertion of its own.
    func post(
        to endpoint: URI,
        accepting mediaType: String = "application/json",
        provingWith context: DPoPContext?,
        making form: () async throws(OAuthClientError) -> FormParameters
    ) async throws(OAuthClientError) -> HTTPResponse {
        var mayRetryForNonce = true
        var mayRetryForClock = true
        while true {
            var request = try await authenticator.request(form(), to: endpoint)
            let proof = try await proof(for: endpoint, context)
            request.fields["Accept"] = mediaType
            request.fields["DPoP"] = proof?.value
            let sent = clock.deviceTime()
            let response = try await transport.exchange(request)
            // Only answers to these requests tell the time: what a cache may have kept has the time of another day.
            let didSetClock = clock.learn(date: response.fields["Date"], sent: sent)
            let didLearnNonce = Self.learn(from: response, proof, context)
            let verdict = ProofResult(response)
            if verdict.demandsNonce, didLearnNonce, mayRetryForNonce {
                mayRetryForNonce = false
            } else if refusesTime(verdict), didSetClock, mayRetryForClock {
                mayRetryForClock = false
            } else {
                if context != nil { troubles.refused(verdict) }
                return response
            }
        }
    }

    /// Whether what was refused may have been refused for its time.
    private func refusesTime(_ verdict: ProofResult) -> Bool {
        verdict.refusesProof || verdict.refusesRequestObject || (verdict.refusesClient && authenticator.tellsTime)
    }

    private func proof(
        for endpoint: URI,
        _ context: DPoPContext?
    ) async throws(OAuthClientError) -> DPoPProofForRequest? {
        guard let context else { return nil }
        do {
            return try await context.proof(method: "POST", uri: endpoint, role: .authorizationServer)
        } catch {
            throw troubles.noProof(error, with: context)
        }
    }

    private static func learn(
        from response: HTTPResponse,
        _ proof: DPoPProofForRequest?,
        _ context: DPoPContext?
    ) -> Bool {
        guard let proof, let context else { return false }
        return context.learn(from: response.fields, for: proof)
    }
}
