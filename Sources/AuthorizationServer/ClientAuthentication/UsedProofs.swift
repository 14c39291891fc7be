// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthSystem
import ServerStorage

/// Where used proofs are recorded.
enum UsedProofs: Sendable {
    /// With the change that they cause, in the storage.
    case inStorage
    /// In a store of their own, before the change; proofs of pushed requests, which anyone can make, in a second one, or
    /// for `nil` in the storage, so that they cannot fill the first.
    case apart(granted: any ReplayStore, pushed: (any ReplayStore)?)

    /// Uses the store that a server is configured with.
    init(_ store: (any ReplayStore)?) {
        // A store in the storage finds every proof there, whatever its pool: a proof that was recorded in both pools,
        // as one of a device is, would be taken for its own replay.
        guard let store, !(store is StorageReplayStore) else {
            self = .inStorage
            return
        }
        // Proofs of pushed requests with the same reach: if processes share the store, a replay at another process must
        // be detected too.
        self = .apart(
            granted: store,
            pushed: store is MemoryReplayStore ? MemoryReplayStore(capacity: 200_000) : nil
        )
    }

    /// Whether the pools are separate stores, which do not find each other's proofs.
    var isApart: Bool {
        switch self {
        case .inStorage: false
        case .apart: true
        }
    }

    /// The store of a pool; `nil` for the storage.
    func memory(of pool: SingleUseEntry.Pool) -> (any ReplayStore)? {
        switch self {
        case .inStorage: nil
        case .apart(let granted, let pushed): pool == .pushed ? pushed : granted
        }
    }

    /// The store for requests that change nothing else.
    func store(in storage: any AuthorizationStorage, _ entropy: any Entropy) -> any ReplayStore {
        memory(of: .granted) ?? StorageReplayStore(storage, entropy: entropy)
    }
}
