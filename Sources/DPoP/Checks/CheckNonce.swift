// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// RFC 9449 section 4.3, check 10: a required nonce is present, and this server issued it.
enum CheckNonce {
    /// Returns the age of the nonce; `nil` if the proof has none and needs none.
    static func run(
        _ claims: ProofClaims,
        policy: ProofPolicy,
        issuer: DPoPNonceIssuer,
        now: Timestamp
    ) throws(DPoPError) -> Duration? {
        guard policy.nonces != .off else { return nil }
        var judgement: DPoPNonceIssuer.Judgement?
        claims.readNonce { judgement = issuer.judge($0, at: now) }
        guard let judgement else {
            guard policy.nonces == .onSkew else {
                throw DPoPError(.nonceRequired, "the proof has no 'nonce'", step: .nonce)
            }
            return nil
        }
        switch judgement {
        case .valid(let age): return age
        case .invalid: throw rejected(underlying: nil)
        case .unknown: throw rejected(underlying: UnknownNonce())
        }
    }

    private static func rejected(underlying: (any Error)?) -> DPoPError {
        DPoPError(
            .nonceRequired,
            "the 'nonce' is too old, or not of this server",
            step: .nonce,
            underlying: underlying
        )
    }
}
