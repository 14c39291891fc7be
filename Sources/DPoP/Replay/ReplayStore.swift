// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Remembers which proofs were used (RFC 9449 section 11.1).
public protocol ReplayStore: Sendable {
    /// Remembers a proof, in one atomic step: of any number of callers with the same key exactly one gets
    /// ``ReplayInsertion/inserted``.
    ///
    /// - Parameters:
    ///   - key: What is remembered.
    ///   - end: Until when; afterwards the proof is refused by its age, and the key may be forgotten.
    ///   - now: The time.
    /// - Returns: Whether the proof was new; a store that is full never forgets a key to make room.
    /// - Throws: An error of the store; the proof is then refused.
    func insert(_ key: ReplayKey, until end: Timestamp, now: Timestamp) async throws -> ReplayInsertion
}
