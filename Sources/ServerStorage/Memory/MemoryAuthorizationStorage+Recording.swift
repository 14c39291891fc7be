// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// Stores entries; see ``RecordingStore/record(_:at:)``.
    ///
    /// - Parameters:
    ///   - recording: The entries.
    ///   - now: The time.
    /// - Returns: Whether all of them are stored.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored``.
    public func record(_ recording: Recording, at now: Timestamp) throws(StorageError) -> Recorded<Void> {
        try recorded(recording, at: now) { _ throws(StorageError) in }
    }

    /// Forgets every proof; see ``RecordingStore/startReplayMemory(_:)``.
    ///
    /// - Parameter epoch: The new memory.
    public func startReplayMemory(_ epoch: ReplayEpoch) {
        tables.withLock { $0.singleUses.start(epoch) }
    }

    /// Carries out a change with its recording, or neither.
    ///
    /// - Parameters:
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    ///   - unchanged: The outcome if there is nothing to change, in which case nothing is recorded either.
    ///   - change: The change; if it throws, it must not have changed anything.
    /// - Returns: The outcome.
    /// - Throws: What the change threw; ``StorageError/Code/alreadyStored`` if another access token has that hash.
    func recorded<Outcome>(
        _ recording: Recording,
        at now: Timestamp,
        unless unchanged: (MemoryTables) -> Outcome? = { _ in nil },
        _ change: (inout MemoryTables) throws(StorageError) -> Outcome
    ) throws(StorageError) -> Recorded<Outcome> {
        try tables.withLock { tables throws(StorageError) in
            if let outcome = unchanged(tables) { return .done(outcome) }
            if let refusal = tables.singleUses.refusal(of: recording, at: now) { return refusal.recorded() }
            if let token = recording.accessToken { try tables.expectNoOther(token) }
            let outcome = try change(&tables)
            tables.singleUses.insert(recording)
            if let token = recording.accessToken { tables.accessTokens[token.tokenHash] = token }
            return .done(outcome)
        }
    }
}

extension MemoryTables {
    fileprivate func expectNoOther(_ token: StoredAccessToken) throws(StorageError) {
        guard let stored = accessTokens[token.tokenHash], stored != token else { return }
        throw StorageError.isStoredOtherwise("the access token")
    }
}
