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
    /// - Returns: Whether the proof was new. A full store never evicts a key to make space.
    /// - Throws: An error of the store; the proof is then rejected.
    func insert(_ key: ReplayKey, until end: Timestamp, now: Timestamp) async throws -> ReplayInsertion
}
