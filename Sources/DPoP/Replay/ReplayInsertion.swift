// SPDX-License-Identifier: Apache-2.0

/// The result of storing a proof.
public enum ReplayInsertion: Sendable, Hashable {
    /// The proof is new, and is now stored.
    case inserted
    /// The proof was used before.
    case replayed
    /// The store is full, or the key has reached its limit.
    case full
    /// The store has another memory than the one that the nonce of the proof was made for, and may have forgotten the
    /// proof: it is rejected, and nonces are made for the new memory from now on.
    case otherEpoch(ReplayEpoch)
}
