// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthCrypto
import OAuthSystem

/// The replay store with many proofs in it.
enum ReplayRows {
    private static let now = Timestamp(secondsSince1970: 1_790_000_000)
    private static let end = now + .seconds(360)

    /// The rows with targets, for these numbers of live entries.
    static func measurements(_ counts: [Int]) -> [Measurement] {
        counts.map { live in
            Measurement("replay", "replay-insert-\(label(live))") {
                try await rows(live: live, named: label(live), target: live > 10_000 ? 0.4 : 0.2, bytes: 48)
            }
        }
    }

    /// The same without targets.
    static func growth(_ counts: [Int]) -> [Measurement] {
        counts.map { live in
            Measurement("growth", "growth-replay-insert-\(label(live))") {
                try await rows(live: live, named: label(live), target: nil, bytes: nil)
            }
        }
    }

    private static func label(_ live: Int) -> String {
        live >= 1_000_000 ? "\(live / 1_000_000)m" : "\(live / 1000)k"
    }

    /// Inserts new proofs into a filled store, so that the number of live ones hardly changes; also measures the memory
    /// per proof.
    @MainActor
    private static func rows(live: Int, named name: String, target: Double?, bytes: Double?) async throws -> [Row] {
        let perTurn = live >= 1_000_000 ? 10_000 : 100
        let operations = Rounds.operations(perTurn: perTurn)
        let store = filledStore(live: live, more: 2 * operations)
        let keys = (live..<live + operations).map(key)
        // The unavoidable cost of any store: one cache line at a random address, read and written.
        var memory = [UInt64](repeating: 0, count: live * 48 / 8)
        let (rounds, pace) = try await MachinePace.during {
            try await Rounds.compare(
                perTurn: perTurn,
                ours: { range in for number in range { insert(keys[number], into: store) } },
                reference: { range in
                    for number in range {
                        let place = UInt(truncatingIfNeeded: number &+ 1) &* 0x9E37_79B9_7F4A_7C15 % UInt(memory.count)
                        memory[Int(place)] &+= 1
                    }
                }
            )
        }
        // Memory is measured by another process, which is not started while instructions are counted.
        guard Rounds.profile == nil else { return [] }
        return [
            .times(
                "replay-insert-\(name)",
                rounds,
                beside: "one random read-modify-write in 48 B x entries",
                target: target.map { .atMostScaled($0, pace: pace) }
            ),
            .count(
                "replay-bytes-\(name)",
                try ReplayMemory.bytesPerEntry(live: live),
                unit: "B",
                beside: 24,
                "two hashes and a minute, without a table",
                target: bytes.map { .atMost($0) }
            ),
        ]
    }

    /// A store with this many live entries of a thousand keys, and space for more.
    static func filledStore(live: Int, more: Int) -> MemoryReplayStore {
        let store = MemoryReplayStore(capacity: live + more, capacityPerKey: live)
        for number in 0..<live { insert(key(number), into: store) }
        return store
    }

    private static let owners = (0..<1000).map { number in
        JWKThumbprint(digest: SHA256.hash([UInt8(number & 255), UInt8(number >> 8)]))
    }

    private static func key(_ number: Int) -> ReplayKey {
        ReplayKey(owner: owners[number % owners.count], jti: "\(number)")
    }

    private static func insert(_ key: ReplayKey, into store: MemoryReplayStore) {
        precondition(store.insert(key, until: end, now: now) == .inserted)
    }
}
