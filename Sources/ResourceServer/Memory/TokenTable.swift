// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import Synchronization

/// What is known about the tokens that were seen last, by the SHA-256 of each: bounded, the oldest leaves first.
///
/// The whole digest is compared, so a hit means the same token, byte by byte.
final class TokenTable<Value: Sendable>: Sendable {
    private struct Shard {
        var values: [SHA256Digest: Value] = [:]
        /// The digests in the order in which they came, as a ring; `next` is the oldest once it is full.
        var order: [SHA256Digest] = []
        var next = 0
    }

    private let shards: [ShardLock]
    private let capacityPerShard: Int

    private final class ShardLock: Sendable {
        let shard = Mutex(Shard())
    }

    /// Makes a table.
    ///
    /// - Parameter capacity: How many tokens it knows at most, rounded up to a multiple of the number of shards; 0 for
    ///   none.
    init(capacity: Int) {
        let count = capacity >= 1024 ? 16 : 1
        capacityPerShard = (max(capacity, 0) + count - 1) / count
        shards = (0..<count).map { _ in ShardLock() }
    }

    /// How many tokens it knows.
    var count: Int { shards.reduce(0) { $0 + $1.shard.withLock { $0.values.count } } }

    /// The digest by which a token is known.
    static func digest(of token: String) -> SHA256Digest {
        SHA256.hash(Array(token.utf8))
    }

    subscript(digest: SHA256Digest) -> Value? {
        lock(of: digest).shard.withLock { $0.values[digest] }
    }

    /// Remembers a value, in place of an earlier one of the same token.
    func set(_ value: Value, for digest: SHA256Digest) {
        guard capacityPerShard > 0 else { return }
        lock(of: digest).shard.withLock { shard in
            guard shard.values.updateValue(value, forKey: digest) == nil else { return }
            guard shard.order.count == capacityPerShard else {
                shard.order.append(digest)
                return
            }
            shard.values[shard.order[shard.next]] = nil
            shard.order[shard.next] = digest
            shard.next = (shard.next + 1) % capacityPerShard
        }
    }

    private func lock(of digest: SHA256Digest) -> ShardLock {
        shards[abs(digest.hashValue % shards.count)]
    }
}
