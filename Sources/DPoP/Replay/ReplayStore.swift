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

    /// Stores a proof in one atomic step, if the store still has the memory that its nonce was made for.
    ///
    /// A store that can forget, such as one on a server that is restarted, implements this; others need not.
    ///
    /// - Parameters:
    ///   - key: The replay key of the proof.
    ///   - end: The time until which the key must be stored.
    ///   - now: The current time.
    ///   - epoch: The memory that the nonce of the proof was made for; `nil` if the issuer of nonces knows none.
    /// - Returns: Whether the proof was new; ``ReplayInsertion/otherEpoch(_:)`` if the memory is another one.
    /// - Throws: An error of the store; the proof is then rejected.
    func insert(
        _ key: ReplayKey,
        until end: Timestamp,
        now: Timestamp,
        in epoch: ReplayEpoch?
    ) async throws -> ReplayInsertion
}

extension ReplayStore {
    /// Stores a proof in a store that forgets nothing while it runs.
    ///
    /// - Parameters:
    ///   - key: The replay key of the proof.
    ///   - end: The time until which the key must be stored.
    ///   - now: The current time.
    ///   - epoch: Ignored.
    /// - Returns: Whether the proof was new.
    /// - Throws: An error of the store; the proof is then rejected.
    public func insert(
        _ key: ReplayKey,
        until end: Timestamp,
        now: Timestamp,
        in epoch: ReplayEpoch?
    ) async throws -> ReplayInsertion {
        try await insert(key, until: end, now: now)
    }
}
