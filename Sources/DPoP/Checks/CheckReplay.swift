// SPDX-License-Identifier: Apache-2.0

/// RFC 9449 section 11.1: the proof was not used before.
///
/// This check is the last, since it is the only one that stores anything.
enum CheckReplay {
    static func run(_ insertion: ReplayInsertion) throws(DPoPError) {
        switch insertion {
        case .inserted: return
        case .replayed: throw DPoPError(.replayed, "the proof was used before", step: .replay)
        case .otherEpoch:
            throw DPoPError(.nonceRequired, "the nonce was made for another memory of used proofs", step: .replay)
        case .full: throw DPoPError(.replayStoreUnavailable, "no more proofs can be remembered now", step: .replay)
        }
    }
}
