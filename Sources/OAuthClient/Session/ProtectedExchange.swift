// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import OAuthTransport
import SigningKeys

/// Sends a call with token and proof, and repeats it where that can help.
struct ProtectedExchange: Sendable {
    let client: OAuth2Client
    let tokenSource: AccessTokenSource
    /// Whether the caller wants the response that demands another authentication of the user, and no error in its place.
    var returnsStepUps = false

    /// Sends the call until there is a response for the caller.
    ///
    /// - Returns: The response and its URL, which differs from the request's after a redirect.
    func run(_ first: ProtectedCall) async throws(OAuthClientError) -> (response: StreamedResponse, target: String) {
        var call = first
        var state = try await begin(first.purpose)
        client.retryBudget.countCall()
        while true {
            let signed = try await sign(call, state.tokens)
            let answer: ReceivedResponse
            state.attempts += 1
            do {
                answer = try await send(signed, state.reported)
            } catch {
                guard try await waitToRepeat(after: error, call, &state) else { throw error }
                continue
            }
            if try await isWorthRepeating(signed, answer.verdict, answer.response.fields, &state) {
                try call.requireReplayableBody()
                state.attempts -= 1
            } else if let next = call.redirected(by: answer.response), state.mayFollowRedirect() {
                try next.requireReplayableBody()
                call = next
                // The redirected request is a new one, with its own proof.
                state.repeats.allow(.nonce)
                state.attempts = 0
                state.reported = RequestAttempt(call.purpose)
            } else if try await waitToRepeat(after: answer.response, call, &state) {
                continue
            } else {
                finish(signed, answer.verdict, status: answer.response.status)
                return (answer.response, call.target)
            }
        }
    }

    /// The state of a call that has not been sent.
    func begin(_ purpose: RequestReport.Purpose = .api) async throws(OAuthClientError) -> CallState {
        let follows = client.configuration.followsRedirectsWithinOneOriginWithNewProofs
        return CallState(tokens: try await tokenSource.fetch(), followsRedirects: follows, purpose: purpose)
    }

    /// Adds token and proof.
    func sign(_ call: ProtectedCall, _ tokens: TokenSet) async throws(OAuthClientError) -> SignedCall {
        try client.requireProtection(of: tokens)
        guard tokens.tokenType == .dpop else {
            return SignedCall(call: call, tokens: tokens, proof: nil, context: nil, sentAt: client.clock.now())
        }
        // Never fall back to Bearer: an API that received it could not use the bound token, but the caller that made
        // this token set may have lost the key.
        guard let context = try await client.keyring.context(boundTo: tokens.keyThumbprint) else {
            throw OAuthClientError(.keyMissing, "the tokens are bound, and do not say to which key; sign in again")
        }
        do {
            let offset = client.resourceClocks.offset(at: call.origin)
            let proof = try await call.proof(tokens, context, at: client.resourceClocks.time(at: call.origin))
            return SignedCall(
                call: call,
                tokens: tokens,
                proof: proof,
                context: context,
                sentAt: client.clock.now(),
                clockOffset: offset
            )
        } catch {
            throw client.troubles.noProof(error, with: context)
        }
    }

    /// Notes how a call ended.
    func finish(_ sent: SignedCall, _ verdict: ProofResult, status: Int) {
        if status < 400 { tokenSource.manager.rejections.accepted(by: sent.call.origin) }
        if sent.tokens.tokenType == .dpop { client.troubles.refused(verdict) }
    }

    private func send(
        _ signed: SignedCall,
        _ attempt: RequestAttempt
    ) async throws(OAuthClientError) -> ReceivedResponse {
        let (request, call) = (signed.request, signed.call)
        let response = try await OAuthClientError.ofTransport { () async throws(OAuthCoreError) in
            try await client.transport.reporting(attempt).open(request, body: call.body, timeout: call.timeout)
        }
        return try await ReceivedResponse(response)
    }
}
