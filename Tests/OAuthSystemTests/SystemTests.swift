// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import OAuthSystem
import Testing

@Suite("Randomness, time, comparison, wiping")
struct SystemTests {
    @Test func `random octets are as many as asked for, and differ`() {
        #expect(SystemRandom.bytes(0) == [])
        #expect(SystemRandom.bytes(1).count == 1)
        let values = (0..<100).map { _ in SystemRandom.bytes(32) }
        #expect(Set(values).count == 100)
        #expect(values.allSatisfy { $0.count == 32 && Set($0).count > 8 })
    }

    @Test func `the clock is between 2025 and 2100, and does not stand still`() {
        let start = SystemTime.millisecondsSince1970()
        #expect(start > 1_735_689_600_000)
        #expect(start < 4_102_444_800_000)
        let clock = ContinuousClock()
        let deadline = clock.now.advanced(by: .seconds(5))
        while SystemTime.millisecondsSince1970() == start, clock.now < deadline {}
        #expect(SystemTime.millisecondsSince1970() != start)
    }

    @Test func `trap 69: octets are equal when every one is`() {
        #expect(ConstantTime.areEqual([UInt8](), []))
        #expect(ConstantTime.areEqual([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.areEqual([1, 2, 3], [1, 2]))
        #expect(!ConstantTime.areEqual([1, 2], [1, 2, 3]))
        #expect(!ConstantTime.areEqual([], [0]))
        for index in 0..<32 {
            var other = [UInt8](repeating: 7, count: 32)
            other[index] ^= 0x80
            #expect(!ConstantTime.areEqual([UInt8](repeating: 7, count: 32), other))
        }
    }

    @Test func `texts are equal by their octets, not by canonical equivalence`() {
        #expect(ConstantTime.areEqual("secret", "secret"))
        #expect(!ConstantTime.areEqual("secret", "Secret"))
        #expect("\u{e9}" == "e\u{301}")
        #expect(!ConstantTime.areEqual("\u{e9}", "e\u{301}"))
    }

    @Test func `digests are equal when every octet is`() throws {
        let bytes = [UInt8](0..<32)
        let digest = try #require(SHA256Digest(bytes: bytes))
        #expect(ConstantTime.areEqual(digest, digest))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(!ConstantTime.areEqual(digest, try #require(SHA256Digest(bytes: changed))))
        }
    }

    @Test func `wiped octets are zeros`() {
        var secret: [UInt8] = [1, 2, 3]
        SecretMemory.wipe(&secret)
        #expect(secret == [0, 0, 0])
        var nothing: [UInt8] = []
        SecretMemory.wipe(&nothing)
        #expect(nothing == [])
    }
}
