// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthCrypto
import OAuthSystem

/// The longest wait of a caller of the replay store, while proofs are added and expire.
enum ReplayLatencyRows {
    /// How many keys the proofs have.
    enum Shape: String, CaseIterable {
        /// A thousand keys.
        case few = "1k-keys"
        /// One key per proof: the maximum of data to store.
        case each = "a-key-each"
    }

    private static let start = Timestamp(secondsSince1970: 1_790_000_000 / 60 * 60)
    private static let minutes = 6

    /// A row for each shape, with this many live entries.
    static func measurements(live: Int) -> [Measurement] {
        let size = live >= 1_000_000 ? "\(live / 1_000_000)m" : "\(live / 1000)k"
        return Shape.allCases.map { shape in
            let name = "replay-worst-\(size)-\(shape.rawValue)"
            return Measurement("replay", name) { [row(live: live, shape: shape, named: name)] }
        }
    }

    /// Fills a store for six minutes, so that it has grown, and continues at the same rate, so that as many proofs
    /// expire as arrive.
    ///
    /// The numbers are processor time of the thread. Interrupts are included, so the reference is a loop that only
    /// reads the clock.
    @MainActor
    private static func row(live: Int, shape: Shape, named name: String) -> Row {
        let store = MemoryReplayStore(capacity: 2 * live, capacityPerKey: live)
        let owners = (0..<1000).map { JWKThumbprint(digest: SHA256.hash([UInt8($0 & 255), UInt8($0 >> 8)])) }
        let perMinute = live / minutes
        var rounds = Rounds()
        for minute in 0..<minutes + Rounds.count {
            let now = start + .seconds(minute * 60)
            var (worst, worstOfNothing) = (0.0, 0.0)
            for number in minute * perMinute..<(minute + 1) * perMinute {
                let text = "\(number)"
                let owner = shape == .few ? owners[number % 1000] : JWKThumbprint(digest: SHA256.hash(Array(text.utf8)))
                let key = ReplayKey(owner: owner, jti: text)
                let first = ThreadTime.processor()
                let second = ThreadTime.processor()
                let result = store.insert(key, until: now + .seconds((minutes - 1) * 60), now: now)
                let third = ThreadTime.processor()
                precondition(result == .inserted)
                worst = max(worst, third - second)
                worstOfNothing = max(worstOfNothing, second - first)
            }
            guard minute >= minutes else { continue }
            rounds.ours.append(worst)
            rounds.reference.append(worstOfNothing)
        }
        print("\(name): \(store.byteCount / store.count) bytes of records for each proof")
        return .times(name, rounds, beside: "the longest read of the clock", target: .atMost(1000))
    }
}
