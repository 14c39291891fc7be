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

    /// Sends a request, and wipes its body: it may have a secret of the client, a code or a password.
    func exchange(
        _ request: inout HTTPRequest,
        _ attempt: RequestAttempt
    ) async throws(OAuthClientError) -> HTTPResponse {
        defer { SecretMemory.wipe(&request.body) }
        return try await transport.exchange(request, attempt)
    }

    /// Names the clock as the cause of a rejection if it differs from the server's by more than a day, which is not corrected.
    func requireCredibleTime(
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

    /// Fails if the server rejected the attestation, also a new one.
    func requireAcceptedAttestation(
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

    /// The proof of a request; `nil` without a key.
    func proof(
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

    /// Whether a response brought a nonce that its request did not have.
    static func learn(
        from response: HTTPResponse,
        _ proof: DPoPProofForRequest?,
        _ context: DPoPContext?
    ) -> Bool {
        guard let proof, let context else { return false }
        return context.learn(from: response.fields, for: proof)
    }
}
