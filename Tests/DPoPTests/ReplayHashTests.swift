// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import TestSupport
import Testing

@testable import DPoP

@Suite("The hash of the replay store")
struct ReplayHashTests {
    @Test func `it is the same again for one store, and another one for the next`() {
        let (hash, other) = (ReplayHash(), ReplayHash())
        let digest = SHA256.hash([1])
        #expect(hash(digest) == hash(digest))
        #expect(hash(digest) != other(digest))
    }

    /// Each of the 128 bits that count must be able to change each of the 64: for no bit does the difference stay away.
    @Test func `every bit of the first half matters, and changes half of the result`() {
        let digest = SHA256.hash([2]).bytes
        var changed = 0
        let hashes = (0..<64).map { _ in ReplayHash() }
        for bit in 0..<128 {
            var other = digest
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            for hash in hashes {
                guard let before = SHA256Digest(bytes: digest), let after = SHA256Digest(bytes: other) else {
                    Issue.record("32 bytes are a digest")
                    return
                }
                let difference = hash(before) ^ hash(after)
                #expect(difference != 0)
                changed += difference.nonzeroBitCount
            }
        }
        let share = Double(changed) / Double(128 * 64 * 64)
        #expect((0.49...0.51).contains(share))
    }

    /// Whoever chooses digests with equal steps between them gets them spread over the slots all the same.
    ///
    /// A seed for which this pattern is no good is rare, so one of sixteen may be.
    @Test func `digests with a pattern are spread`() {
        let spread = (0..<16).count { _ in
            let hash = ReplayHash()
            var shards = [Int](repeating: 0, count: 64)
            for number in 0..<16_000 {
                var bytes = [UInt8](repeating: 0, count: 32)
                (bytes[0], bytes[1]) = (UInt8(number & 255), UInt8(number >> 8))
                guard let digest = SHA256Digest(bytes: bytes) else { continue }
                shards[Int(hash(digest) % 64)] += 1
            }
            return shards.reduce(0, +) == 16_000 && shards.allSatisfy { (50...1000).contains($0) }
        }
        #expect(spread >= 15)
    }
}
