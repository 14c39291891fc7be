// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// RFC 9449 section 4.3, check 11: the proof was made just now (section 11.1).
///
/// A valid nonce says so better than the clock of the client, so with one `iat` is not looked at.
enum CheckFreshness {
    static func run(
        issuedAt: Timestamp,
        nonceAge: Duration?,
        policy: ProofPolicy,
        now: Timestamp
    ) throws(DPoPError) {
        guard nonceAge == nil else { return }
        guard now - issuedAt <= policy.maximumAge, issuedAt - now <= policy.futureSkew else {
            // A nonce lets a client with a wrong clock recover (section 8).
            let code: DPoPError.Code = policy.nonces == .onSkew ? .nonceRequired : .invalidProof
            throw DPoPError(code, "'iat' is too far from the time of this server", step: .freshness)
        }
        // A proof that was used just before that moment may have been dated ahead by as much as the skew.
        if let since = policy.replayMemorySince, issuedAt < since + policy.futureSkew, policy.nonces != .off {
            throw DPoPError(.nonceRequired, "the proof is older than this server's memory", step: .freshness)
        }
    }
}
