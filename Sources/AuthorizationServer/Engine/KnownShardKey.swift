// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage
import Synchronization

/// The key that assigns users to shards, read from the storage at the first use; it never changes.
final class KnownShardKey: Sendable {
    private let known = Mutex<ShardKey?>(nil)

    func key(in storage: any NonceSecretStore, _ entropy: any Entropy) async throws -> ShardKey {
        if let key = known.withLock({ $0 }) { return key }
        let key = ShardKey(try await storage.shardSecret(storing: entropy.bytes(ShardKey.size)))
        known.withLock { $0 = key }
        return key
    }
}
