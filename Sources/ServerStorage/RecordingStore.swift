// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import OAuthSystem

/// A store for what works once, apart from any other change; and the memory that it is.
public protocol RecordingStore: Sendable {
    /// Stores the entries of a request that changes nothing else.
    ///
    /// Of any number of callers with the same entry exactly one gets ``Recorded/done(_:)``. A full pool never evicts an
    /// entry. Again: ``Recorded/done(_:)`` for the same attempt.
    ///
    /// - Parameters:
    ///   - recording: The entries.
    ///   - now: The time.
    /// - Returns: Whether all of them are stored; otherwise none is.
    /// - Throws: An error of the driver; also if an access token with that hash is already stored.
    func record(_ recording: Recording, at now: Timestamp) async throws -> Recorded<Void>

    /// Forgets every proof and starts a new replay memory: for a copy of a database, which lacks what was recorded since
    /// it was made.
    ///
    /// Nonces of before are then rejected everywhere, with a new one in the response. Client assertions stay.
    ///
    /// - Parameter epoch: The new memory.
    /// - Throws: An error of the driver.
    func startReplayMemory(_ epoch: ReplayEpoch) async throws
}
