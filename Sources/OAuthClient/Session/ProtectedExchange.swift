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
            } else if let next = call.redirected(by: answer.response), state.use(\.redirects) {
                try next.requireReplayableBody()
                call = next
                // The redirected request is a new one, with its own proof.
                state.nonce = 1
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

    /// Learns from a response, and refreshes the token if it was rejected.
    ///
    /// - Returns: Whether the call should be signed and sent again.
    /// - Throws: ``OAuthClientError/Code/stepUpRequired``, ``OAuthClientError/Code/proofAlgorithmRejected``, and the codes of a
    ///   refresh.
    func isWorthRepeating(
        _ sent: SignedCall,
        _ verdict: ProofResult,
        _ fields: HTTPFields,
        _ state: inout CallState
    ) async throws(OAuthClientError) -> Bool {
        let origin = sent.call.origin
        // Only a rejection sets the clock: a cached response may have an old `Date`.
        let didSetClock =
            sent.proof != nil && verdict.refusesProof
            && client.resourceClocks.learn(
                date: fields["Date"],
                sent: sent.sentAt,
                used: sent.clockOffset,
                origin: origin
            )
        let broughtNonce = sent.learnNonce(from: fields)
        if let challenge = verdict.stepUp { throw OAuthClientError(stepUp: challenge) }
        if let algorithm = sent.algorithm, let accepted = verdict.algorithms(inPlaceOf: algorithm) {
            throw OAuthClientError(algorithmsOfAPI: accepted)
        }
        if verdict.demandsNonce, broughtNonce, state.use(\.nonce) {
            state.reported.repeats(because: .nonce)
            return true
        }
        if verdict.refusesProof, didSetClock, state.use(\.clock) {
            state.reported.repeats(because: .clock)
            return true
        }
        guard verdict.rejectsToken, mayRefresh(sent, &state) else { return false }
        state.reported.repeats(because: .token)
        state.tokens = try await tokenSource.refresh(replacing: sent.tokens.accessToken)
        tokenSource.manager.rejections.refreshed(state.tokens.accessToken, for: origin)
        return true
    }

    /// Notes how a call ended.
    func finish(_ sent: SignedCall, _ verdict: ProofResult, status: Int) {
        if status < 400 { tokenSource.manager.rejections.accepted(by: sent.call.origin) }
        if sent.tokens.tokenType == .dpop { client.troubles.refused(verdict) }
    }

    private func mayRefresh(_ sent: SignedCall, _ state: inout CallState) -> Bool {
        guard tokenSource.manager.isRenewable(sent.tokens) else { return false }
        let now = client.monotonicClock.elapsed()
        let (token, origin) = (sent.tokens.accessToken, sent.call.origin)
        switch tokenSource.manager.rejections.decide(token, rejectedBy: origin, at: now) {
        case .refresh: return state.use(\.refresh)
        case .wait: return false
        case .giveUp:
            client.events.send(.tokenRejected)
            return false
        }
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
