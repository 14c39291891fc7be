// SPDX-License-Identifier: Apache-2.0

/// What became of the attempt to remember a proof.
public enum ReplayInsertion: Sendable, Hashable {
    /// The proof was new and is remembered now.
    case inserted
    /// The proof was used before.
    case replayed
    /// The store holds all it can, or all that this key may store.
    case full
}
