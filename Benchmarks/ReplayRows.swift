// SPDX-License-Identifier: Apache-2.0

import DPoP
import Glibc
import JOSE
import OAuthCrypto

/// The replay store with many proofs in it.
struct ReplayRows {
    private static let now = Timestamp(secondsSince1970: 1_790_000_000)
    private static let lines = 64

    /// Inserts new proofs beside others that stay, so that the number of live ones hardly changes.
    @MainActor
    static func row(live: Int, named name: String, target: Double) async throws -> Row {
        let perTurn = live >= 1_000_000 ? 10_000 : 100
        let operations = Rounds.operations(perTurn: perTurn)
        let before = residentBytes()
        let store = MemoryReplayStore(capacity: live + 2 * operations, capacityPerKey: live)
        let owners = (0..<1000).map { JWKThumbprint(digest: SHA256.hash([UInt8($0 & 255), UInt8($0 >> 8)])) }
        for number in 0..<live { insert(key(number, owners), into: store) }
        let bytesPerEntry = Double(residentBytes() - before) / Double(live)
        let keys = (live..<live + operations).map { key($0, owners) }
        // What no store can avoid: one line of memory at an unforeseeable place, read and written.
        var memory = [UInt64](repeating: 0, count: max(live, 1) * 48 / 8)
        let rounds = try await Rounds.compare(
            perTurn: perTurn,
            ours: { range in for number in range { insert(keys[number], into: store) } },
            reference: { range in
                for number in range {
                    let place = UInt(truncatingIfNeeded: number &+ 1) &* 0x9E37_79B9_7F4A_7C15 % UInt(memory.count)
                    memory[Int(place)] &+= 1
                }
            }
        )
        if live >= 1_000_000 { print("\(name): \(Int(bytesPerEntry)) bytes of memory for each entry") }
        return .times(name, rounds, beside: "one random read-modify-write in 48 B x entries", target: .atMost(target))
    }

    private static func key(_ number: Int, _ owners: [JWKThumbprint]) -> ReplayKey {
        ReplayKey(owner: owners[number % owners.count], jti: "\(number)")
    }

    private static func insert(_ key: ReplayKey, into store: MemoryReplayStore) {
        precondition(store.insert(key, until: now + .seconds(360), now: now) == .inserted)
    }

    /// The memory of this process that is in use, in bytes.
    private static func residentBytes() -> Int {
        guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard unsafe fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return (Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
