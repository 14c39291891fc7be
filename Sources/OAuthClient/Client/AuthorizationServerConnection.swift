// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import OAuthCore
import OAuthCrypto
import OAuthSystem

/// Sends requests to the endpoints of the authorization server, with client authentication and, where needed, a DPoP
/// proof.
struct AuthorizationServerConnection: Sendable {
    let transport: any HTTPTransport
    let clock: ServerAdjustedClock
    let authenticator: ClientAuthenticator
    let troubles: KeyFailureReporter

    /// Posts a form, with a proof if there is a key.
    func post(
        _ form: FormParameters,
        to endpoint: URI,
        accepting mediaType: String = "application/json",
        provingWith context: DPoPContext? = nil,
        _ attempt: inout RequestAttempt
    ) async throws(OAuthClientError) -> HTTPResponse {
        try await post(to: endpoint, accepting: mediaType, provingWith: context, &attempt) { form }
    }

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
        var mayRetryForNonce = true
        var mayRetryForClock = true
        var mayRetryForAttestation = true
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
            if verdict.demandsNonce, didLearnNonce, mayRetryForNonce {
                mayRetryForNonce = false
                attempt.repeats(because: .nonce)
            } else if refusesTime(verdict), didSetClock, mayRetryForClock {
                mayRetryForClock = false
                attempt.repeats(because: .clock)
            } else if let old = staleAttestation(verdict, request), mayRetryForAttestation {
                await authenticator.attestations?.forget(old)
                mayRetryForAttestation = false
                attempt.repeats(because: .attestation)
            } else {
                try requireCredibleTime(verdict, response, sent)
                try requireAcceptedAttestation(verdict, response)
                if context != nil { troubles.refused(verdict) }
                return response
            }
        }
    }

    /// Sends a request, and wipes its body: it may have a secret of the client, a code or a password.
    private func exchange(
        _ request: inout HTTPRequest,
        _ attempt: RequestAttempt
    ) async throws(OAuthClientError) -> HTTPResponse {
        defer { SecretMemory.wipe(&request.body) }
        return try await transport.exchange(request, attempt)
    }

    /// Whether the server may have rejected the request because of its time.
    private func refusesTime(_ verdict: ProofResult) -> Bool {
        verdict.refusesProof || verdict.refusesRequestObject || (verdict.refusesClient && authenticator.tellsTime)
    }

    /// Names the clock as the cause of a rejection if it differs from the server's by more than a day, which is not corrected.
    private func requireCredibleTime(
        _ verdict: ProofResult,
        _ response: HTTPResponse,
        _ sent: Timestamp
    ) throws(OAuthClientError) {
        guard verdict.refusesProof,
            let difference = clock.incredibleDifference(date: response.fields["Date"], sent: sent)
        else { return }
        let days = abs(difference.components.seconds) / 86_400
        let amount = days == 1 ? "a day" : "\(days) days"
        throw OAuthClientError(
            .clockWrong,
            "the clock of this device is \(amount) \(difference > .zero ? "behind" : "ahead of") that of the server",
            failedResponse: FailedResponse(response)
        )
    }

    /// The attestation of a request, if the server calls it too old
    /// (draft-ietf-oauth-attestation-based-client-auth-11 section 7.4).
    private func staleAttestation(_ verdict: ProofResult, _ request: HTTPRequest) -> String? {
        verdict.demandsFreshAttestation ? request.fields[ClientAttestationField.attestation] : nil
    }

    private func requireAcceptedAttestation(
        _ verdict: ProofResult,
        _ response: HTTPResponse
    ) throws(OAuthClientError) {
        guard authenticator.authentication.isAttested,
            verdict.refusesAttestation || verdict.demandsFreshAttestation
        else { return }
        throw OAuthClientError(
            .attestationRefused,
            "the server does not accept the attestation of this copy of the app",
            failedResponse: FailedResponse(response)
        )
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
