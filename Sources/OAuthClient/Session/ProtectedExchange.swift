// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import OAuthCore
import OAuthSystem
import OAuthTransport
import SigningKeys

/// Sends a call with token and proof, and repeats it where that can help.
struct ProtectedExchange: Sendable {
    /// How often a call may be sent again, for each reason.
    private struct Allowance {
        var nonce = 1
        var clock = 1
        var refresh = 1
        var redirects: Int

        mutating func use(_ reason: WritableKeyPath<Self, Int>) -> Bool {
            guard self[keyPath: reason] > 0 else { return false }
            self[keyPath: reason] -= 1
            return true
        }
    }

    private struct Attempt {
        let answer: ReceivedResponse
        /// Whether the response had a nonce that the proof did not have.
        let broughtNonce: Bool
        /// Whether the clock for this origin was wrong and has been corrected.
        let didSetClock: Bool
    }

    private static let maximumRedirects = 5

    let client: OAuth2Client
    let tokenSource: AccessTokenSource

    /// Sends the call until there is a response for the caller.
    ///
    /// - Returns: The response and its URL, which differs from the request's after a redirect.
    func run(_ first: ProtectedCall) async throws(OAuthClientError) -> (response: StreamedResponse, target: String) {
        var call = first
        var tokens = try await tokenSource.fetch()
        let follows = client.configuration.followsRedirectsWithinOneOriginWithNewProofs
        var allowance = Allowance(redirects: follows ? Self.maximumRedirects : 0)
        while true {
            let attempt = try await attempt(call, tokens)
            let answer = attempt.answer
            if let challenge = answer.verdict.stepUp { throw OAuthClientError(stepUp: challenge) }
            if answer.verdict.demandsNonce, attempt.broughtNonce, allowance.use(\.nonce) {
                try call.requireReplayableBody()
            } else if answer.verdict.refusesProof, attempt.didSetClock, allowance.use(\.clock) {
                try call.requireReplayableBody()
            } else if answer.verdict.rejectsToken, mayRefresh(tokens, call, &allowance) {
                tokens = try await tokenSource.refresh(replacing: tokens.accessToken)
                tokenSource.manager.rejections.refreshed(tokens.accessToken, for: call.origin)
                try call.requireReplayableBody()
            } else if let next = call.redirected(by: answer.response), allowance.use(\.redirects) {
                try next.requireReplayableBody()
                call = next
                // The redirected request is a new one, with its own proof.
                allowance.nonce = 1
            } else {
                if answer.response.status < 400 { tokenSource.manager.rejections.accepted(by: call.origin) }
                if tokens.tokenType == .dpop { client.troubles.refused(answer.verdict) }
                return (answer.response, call.target)
            }
        }
    }

    private func mayRefresh(_ tokens: TokenSet, _ call: ProtectedCall, _ allowance: inout Allowance) -> Bool {
        guard tokenSource.manager.isRenewable(tokens) else { return false }
        let now = client.monotonicClock.elapsed()
        switch tokenSource.manager.rejections.decide(tokens.accessToken, rejectedBy: call.origin, at: now) {
        case .refresh: return allowance.use(\.refresh)
        case .wait: return false
        case .giveUp:
            client.events.send(.tokenRejected)
            return false
        }
    }

    private func attempt(_ call: ProtectedCall, _ tokens: TokenSet) async throws(OAuthClientError) -> Attempt {
        try client.requireProtection(of: tokens)
        guard tokens.tokenType == .dpop else {
            let answer = try await send(call, call.request(bearing: tokens))
            return Attempt(answer: answer, broughtNonce: false, didSetClock: false)
        }
        // Never fall back to Bearer: an API that received it could not use the bound token, but the caller that made
        // this token set may have lost the key.
        guard let context = try await client.keyring.context(boundTo: tokens.keyThumbprint) else {
            throw OAuthClientError(.keyMissing, "the tokens are bound, and do not say to which key; sign in again")
        }
        let proof: DPoPProofForRequest
        do {
            proof = try await call.proof(tokens, context, at: client.resourceClocks.time(at: call.origin))
        } catch {
            throw client.troubles.noProof(error, with: context)
        }
        let sent = client.clock.now()
        let answer = try await send(call, call.request(bearing: tokens, proof: proof))
        // Only a rejection sets the clock: a cached response may have an old `Date`.
        let didSetClock =
            answer.verdict.refusesProof
            && client.resourceClocks.learn(date: answer.response.fields["Date"], sent: sent, origin: call.origin)
        return Attempt(
            answer: answer,
            broughtNonce: context.learn(from: answer.response.fields, for: proof),
            didSetClock: didSetClock
        )
    }

    private func send(
        _ call: ProtectedCall,
        _ request: HTTPRequest
    ) async throws(OAuthClientError) -> ReceivedResponse {
        let response = try await OAuthClientError.ofTransport { () async throws(OAuthCoreError) in
            try await client.transport.open(request, body: call.body, timeout: call.timeout)
        }
        return try await ReceivedResponse(response)
    }
}
