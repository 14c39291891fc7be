// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthSystem
import SigningKeys

/// A call with token and proof, for one sending.
struct SignedCall: Sendable {
    let call: ProtectedCall
    let tokens: TokenSet
    /// `nil` for tokens that are not bound.
    let proof: DPoPProofForRequest?
    private let context: DPoPContext?
    let sentAt: Timestamp
    /// How far the time of the proof was ahead of the device's.
    let clockOffset: Duration

    init(
        call: ProtectedCall,
        tokens: TokenSet,
        proof: DPoPProofForRequest?,
        context: DPoPContext?,
        sentAt: Timestamp,
        clockOffset: Duration = .zero
    ) {
        self.call = call
        self.tokens = tokens
        self.proof = proof
        self.context = context
        self.sentAt = sentAt
        self.clockOffset = clockOffset
    }

    var request: HTTPRequest { call.request(bearing: tokens, proof: proof) }

    /// The algorithm that the proof is signed with; `nil` without a proof.
    var algorithm: String? { proof == nil ? nil : context?.key.algorithm.rawValue }

    /// Keeps the nonce of a response.
    ///
    /// - Returns: Whether the response had a nonce that the proof did not have.
    func learnNonce(from fields: HTTPFields) -> Bool {
        guard let context, let proof else { return false }
        return context.learn(from: fields, for: proof)
    }
}
