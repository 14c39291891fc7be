// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto
import OAuthSystem
import TestSupport
import Testing

@testable import DPoP

extension ReplayKey {
    /// A key of nobody in particular.
    init(sweeping jti: String) {
        self.init(owner: JWKThumbprint(digest: SHA256.hash(Array(jti.utf8))), jti: jti)
    }
}

@Suite("RFC 9449 section 11.1: remembering proofs in memory, bounded")
struct MemoryReplayStoreTests {
    private let now = Timestamp(secondsSince1970: 1_789_999_980)
    private let owner = JWKThumbprint(digest: SHA256.hash([1]))

    private func key(_ number: Int, of owner: JWKThumbprint? = nil) -> ReplayKey {
        ReplayKey(owner: owner ?? self.owner, jti: "\(number)")
    }

    @Test func `the key is the hash of thumbprint, zero and jti`() {
        let key = ReplayKey(owner: owner, jti: "abc")
        #expect(key.bytes == SHA256.hash(owner.digest.bytes + [0] + Array("abc".utf8)).bytes)
        #expect(key.owner == owner)
    }

    @Test func `attack 94, one key fills its share and nothing else`() {
        let store = MemoryReplayStore(capacity: 16_000, capacityPerKey: 10)
        for number in 0..<10 {
            #expect(store.insert(key(number), until: now + .seconds(60), now: now) == .inserted)
        }
        for number in 10..<20 {
            #expect(store.insert(key(number), until: now + .seconds(60), now: now) == .full)
        }
        #expect(store.insert(key(3), until: now + .seconds(60), now: now) == .replayed)
        for number in 0..<100 {
            let other = JWKThumbprint(digest: SHA256.hash(Array("other \(number)".utf8)))
            #expect(store.insert(key(number, of: other), until: now + .seconds(60), now: now) == .inserted)
        }
        #expect(store.count == 110)
    }

    @Test func `attack 94, the share of a key is free again when its proofs have expired`() {
        let store = MemoryReplayStore(capacity: 16_000, capacityPerKey: 10)
        for round in 0..<5 {
            let time = now + .seconds(round * 120)
            for number in 0..<10 {
                #expect(store.insert(key(number), until: time + .seconds(59), now: time) == .inserted)
            }
            #expect(store.insert(key(99), until: time + .seconds(59), now: time) == .full)
            #expect(store.count == 10)
        }
    }

    @Test func `full means full, nothing is forgotten to make room`() {
        let store = MemoryReplayStore(capacity: 160, capacityPerKey: 1000)
        var inserted: [ReplayKey] = []
        var refused = 0
        for number in 0..<2000 {
            let key = ReplayKey(sweeping: "\(number)")
            switch store.insert(key, until: now + .seconds(60), now: now) {
            case .inserted: inserted.append(key)
            case .full: refused += 1
            default: Issue.record("a new key is not replayed")
            }
        }
        #expect(inserted.count == 160)
        #expect(refused == 1840)
        #expect(store.count == 160)
        for key in inserted {
            #expect(store.insert(key, until: now + .seconds(60), now: now) == .replayed)
        }
        // A minute later all of it is past, and there is room again.
        #expect(
            store.insert(ReplayKey(sweeping: "0"), until: now + .seconds(180), now: now + .seconds(120)) == .inserted
        )
    }

    @Test func `what is past in places where nobody came by does not fill the store`() {
        let store = MemoryReplayStore(capacity: 100, capacityPerKey: 1000)
        for number in 0..<100 {
            let key = ReplayKey(sweeping: "old \(number)")
            #expect(store.insert(key, until: now + .seconds(59), now: now) == .inserted)
        }
        for number in 0..<100 {
            let key = ReplayKey(sweeping: "new \(number)")
            let later = now + .seconds(60)
            #expect(store.insert(key, until: later + .seconds(59), now: later) == .inserted)
        }
        #expect(store.count == 100)
    }

    @Test func `thousands of proofs of one key and of many keys, in order of nothing`() {
        let store = MemoryReplayStore(capacity: 20_000, capacityPerKey: 20_000)
        for number in 0..<5000 {
            let end = now + .seconds(59 + 60 * (number % 3))
            #expect(store.insert(key(number), until: end, now: now) == .inserted)
            #expect(store.insert(ReplayKey(sweeping: "\(number)"), until: end, now: now) == .inserted)
        }
        #expect(store.count == 10_000)
        // Each minute later a third is past, and nothing else.
        for minute in 0..<3 {
            let time = now + .seconds(60 * minute)
            for number in 0..<5000 where number % 3 >= minute {
                #expect(store.insert(key(number), until: time, now: time) == .replayed)
                #expect(store.insert(ReplayKey(sweeping: "\(number)"), until: time, now: time) == .replayed)
            }
        }
    }

    @Test func `a key is remembered until its end at least, and not for ever`() {
        for end in [1, 30, 59, 60, 61, 90, 119, 120, 3600] {
            let store = MemoryReplayStore()
            #expect(store.insert(key(0), until: now + .seconds(end), now: now) == .inserted)
            for seconds in [0, end / 2, end - 1, end] {
                #expect(store.insert(key(0), until: now + .seconds(end), now: now + .seconds(seconds)) == .replayed)
            }
            let later = now + .seconds(end + 60)
            #expect(store.insert(key(0), until: later + .seconds(1), now: later) == .inserted)
            #expect(store.count == 1)
        }
    }

    @Test func `a clock that steps back forgets nothing and remembers what comes`() {
        let store = MemoryReplayStore()
        #expect(store.insert(key(0), until: now + .seconds(600), now: now + .seconds(300)) == .inserted)
        #expect(store.insert(key(1), until: now + .seconds(300), now: now) == .inserted)
        #expect(store.insert(key(0), until: now + .seconds(600), now: now) == .replayed)
        #expect(store.insert(key(1), until: now + .seconds(300), now: now + .seconds(300)) == .replayed)
    }

    @Test func `what has ended before it came is remembered for the moment`() {
        let store = MemoryReplayStore()
        #expect(store.insert(key(0), until: now - .seconds(600), now: now) == .inserted)
        #expect(store.insert(key(0), until: now - .seconds(600), now: now) == .replayed)
    }

    @Test func `times that no clock should show do not crash`() {
        let store = MemoryReplayStore()
        let times = [Int64.min, -1, 0, Int64.max].map(Timestamp.init(millisecondsSince1970:))
        for (number, time) in times.enumerated() {
            for end in times { _ = store.insert(key(number), until: end, now: time) }
        }
    }

    @Test func `ends that are no minutes of 32 bits are remembered to the last of them, and before the first`() {
        for time in [Int64.min, -60_001, -1, 0].map(Timestamp.init(millisecondsSince1970:)) {
            for end in [time, time + .seconds(60), Timestamp(millisecondsSince1970: .max)] {
                let store = MemoryReplayStore()
                #expect(store.insert(key(0), until: end, now: time) == .inserted)
                #expect(store.insert(key(0), until: end, now: time) == .replayed)
                #expect(store.insert(key(0), until: end, now: end) == .replayed)
                #expect(store.count == 1)
            }
        }
    }

    @Test func `with no room for a key nothing is accepted`() {
        let store = MemoryReplayStore(capacity: 100, capacityPerKey: 0)
        #expect(store.insert(key(0), until: now, now: now) == .full)
        #expect(store.count == 0)
    }

    @Test func `many tasks, many keys, each key once`() async {
        let store = MemoryReplayStore(capacity: 100_000)
        let wins = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask { [now] in
                    (0..<500).count { number in
                        store.insert(ReplayKey(sweeping: "\(number)"), until: now + .seconds(60), now: now) == .inserted
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wins == 500)
        #expect(store.count == 500)
    }
}
