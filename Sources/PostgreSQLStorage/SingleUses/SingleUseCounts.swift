// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import ServerStorage
import Synchronization

/// How many of the stored single uses are this server's, for the limits that keep the tables small.
///
/// Each server of a cluster counts its own, so several store up to so many times as much. A count in the database would
/// cost each request more than recording its proof does.
final class SingleUseCounts: Sendable {
    fileprivate struct State {
        var pools: [SingleUseEntry.Pool: Int] = [:]
        var owners: [String: Int] = [:]
        /// What ends in each minute since 1970, and is counted no more after it.
        var ending: [Int64: [SingleUseEntry.Pool: [String: Int]]] = [:]
        /// The minute up to which nothing more is counted: that of the last call, also after the clock was set back.
        var minute: Int64 = 0
    }

    private let capacity: SingleUseCapacity
    private let state = Mutex(State())

    init(_ capacity: SingleUseCapacity) {
        self.capacity = capacity
    }

    /// Whether an entry can be stored.
    ///
    /// Entries that are being stored at the same moment are not counted yet.
    func hasSpace(for entry: SingleUseEntry, at now: Timestamp) -> Bool {
        state.withLock { state in
            state.forget(until: now)
            return state.pools[entry.pool, default: 0] < capacity.all(entry.pool)
                && state.owners[entry.owner, default: 0] < capacity.perOwner
        }
    }

    /// Counts the entries of a change, if it was carried out.
    func add<Outcome>(_ recording: Recording, with outcome: Recorded<Outcome>, at now: Timestamp) {
        let entries = recording.entries
        guard case .done = outcome, !entries.isEmpty else { return }
        state.withLock { state in
            state.forget(until: now)
            for entry in entries where now < entry.end {
                state.pools[entry.pool, default: 0] += 1
                state.owners[entry.owner, default: 0] += 1
                state.ending[entry.end.minute, default: [:]][entry.pool, default: [:]][entry.owner, default: 0] += 1
            }
        }
    }

    /// Forgets all proofs, which the database has deleted; everything else stays.
    func startReplayMemory() {
        state.withLock { state in
            for (minute, pools) in state.ending {
                for (pool, owners) in pools where pool.holdsProofs {
                    state.subtract(owners, from: pool)
                    state.ending[minute]?[pool] = nil
                }
            }
        }
    }
}

extension SingleUseCounts.State {
    fileprivate mutating func forget(until now: Timestamp) {
        guard now.minute != minute else { return }
        minute = now.minute
        for (ended, pools) in ending where ended < minute {
            for (pool, owners) in pools { subtract(owners, from: pool) }
            ending[ended] = nil
        }
    }

    fileprivate mutating func subtract(_ owners: [String: Int], from pool: SingleUseEntry.Pool) {
        for (owner, count) in owners {
            pools[pool, default: 0] -= count
            let left = self.owners[owner, default: 0] - count
            self.owners[owner] = left > 0 ? left : nil
        }
    }
}

extension Timestamp {
    fileprivate var minute: Int64 { secondsSince1970 / 60 }
}
#endif
