// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import SigningKeys

/// Repeats calls that the API rejected for a reason that the client can remove, once each: a nonce that it demands (RFC 9449
/// section 9), the clock of the device, an access token that can be refreshed.
extension ProtectedExchange {
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
        if let challenge = verdict.stepUp {
            guard returnsStepUps else { throw OAuthClientError(stepUp: challenge) }
            return false
        }
        if let algorithm = sent.algorithm, let accepted = verdict.algorithms(inPlaceOf: algorithm) {
            throw OAuthClientError(algorithmsOfAPI: accepted)
        }
        if verdict.demandsNonce, broughtNonce, state.mayRepeat(because: .nonce) { return true }
        if verdict.refusesProof, didSetClock, state.mayRepeat(because: .clock) { return true }
        guard verdict.rejectsToken, mayRefresh(sent, &state) else { return false }
        state.tokens = try await tokenSource.refresh(replacing: sent.tokens.accessToken)
        tokenSource.manager.rejections.refreshed(state.tokens.accessToken, for: origin)
        return true
    }

    private func mayRefresh(_ sent: SignedCall, _ state: inout CallState) -> Bool {
        guard tokenSource.manager.isRenewable(sent.tokens) else { return false }
        let now = client.monotonicClock.elapsed()
        let (token, origin) = (sent.tokens.accessToken, sent.call.origin)
        switch tokenSource.manager.rejections.decide(token, rejectedBy: origin, at: now) {
        case .refresh: return state.mayRepeat(because: .token)
        case .wait: return false
        case .giveUp:
            client.events.send(.tokenRejected)
            return false
        }
    }
}
