// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// RFC 9449 section 4.3, check 11: the proof was created recently (section 11.1).
///
/// With a valid nonce `iat` is not checked: the nonce dates the proof more reliably than the client's clock.
enum CheckFreshness {
    static func run(
        issuedAt: Timestamp,
        nonceAge: Duration?,
        memorySince: Timestamp?,
        policy: ProofPolicy,
        now: Timestamp
    ) throws(DPoPError) {
        guard nonceAge == nil else { return }
        guard now - issuedAt <= policy.maximumAge, issuedAt - now <= policy.futureSkew else {
            // A nonce lets a client with a wrong clock recover (section 8).
            let code: DPoPError.Code = policy.nonces == .onSkew ? .nonceRequired : .invalidProof
            throw DPoPError(code, "'iat' is too far from the time of this server", step: .freshness)
        }
        // A proof used just before that moment may carry an `iat` in the future, by up to the skew.
        if let memorySince, issuedAt < memorySince + policy.futureSkew, policy.nonces != .off {
            throw DPoPError(.nonceRequired, "the proof is older than this server's memory", step: .freshness)
        }
    }
}
