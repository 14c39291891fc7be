// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Stores which proofs were used (RFC 9449 section 11.1).
public protocol ReplayStore: Sendable {
    /// Stores a proof in one atomic step: of any number of callers with the same key exactly one gets
    /// ``ReplayInsertion/inserted``.
    ///
    /// - Parameters:
    ///   - key: The replay key of the proof.
    ///   - end: The time until which the key must be stored. Later the proof is rejected for its age, and the key may
    ///     be deleted.
    ///   - now: The current time.
    ///   - epoch: The memory that the nonce of the proof was made for; `nil` if the issuer of nonces knows none. A store that
    ///     may have forgotten proofs since then, such as one on a server that was restarted, returns
    ///     ``ReplayInsertion/otherEpoch(_:)``; one that forgets nothing while it is used ignores it.
    /// - Returns: Whether the proof was new. A full store never evicts a key to make space.
    /// - Throws: An error of the store; the proof is then rejected.
    func insert(
        _ key: ReplayKey,
        until end: Timestamp,
        now: Timestamp,
        in epoch: ReplayEpoch?
    ) async throws -> ReplayInsertion
}
