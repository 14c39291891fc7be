// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import OAuthSystem

/// Uses the storage of a server as a replay store, for requests that change nothing else there: those of an API.
///
/// All processes that use the storage share it.
public struct StorageReplayStore: ReplayStore {
    private let storage: any RecordingStore
    private let entropy: any Entropy

    /// Makes a replay store.
    ///
    /// - Parameters:
    ///   - storage: Where the proofs are recorded, in the pool ``SingleUseEntry/Pool/granted``.
    ///   - entropy: The source of random bytes.
    public init(_ storage: any RecordingStore, entropy: any Entropy = SystemEntropy()) {
        self.storage = storage
        self.entropy = entropy
    }

    /// Records a proof.
    ///
    /// - Parameters:
    ///   - key: The replay key of the proof.
    ///   - end: Until when it is stored.
    ///   - now: The time.
    ///   - epoch: The replay memory that the nonce of the proof was made for. A proof without one is recorded so that a crash
    ///     does not lose it.
    /// - Returns: Whether the proof was new; ``/DPoP/ReplayInsertion/otherEpoch(_:)`` if the storage has another memory now.
    /// - Throws: An error of the storage.
    public func insert(
        _ key: ReplayKey,
        until end: Timestamp,
        now: Timestamp,
        in epoch: ReplayEpoch?
    ) async throws -> ReplayInsertion {
        var recording = Recording(WriteAttempt(entropy: entropy))
        recording.proof = SingleUseEntry(key: key, end: end, pool: .granted, epoch: epoch)
        return try await storage.record(recording, at: now).insertion
    }
}

extension Recorded {
    /// What became of the proof, in the words of a replay store.
    package var insertion: ReplayInsertion {
        switch self {
        case .done: .inserted
        case .full: .full
        case .proofReplayed, .assertionReplayed: .replayed
        case .otherEpoch(let epoch): .otherEpoch(epoch)
        }
    }
}
