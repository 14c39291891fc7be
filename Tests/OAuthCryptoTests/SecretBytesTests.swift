// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import Synchronization
import Testing

@testable import OAuthCrypto

@Suite("Secrets leave nothing behind")
struct SecretBytesTests {
    @Test(arguments: [0, 1, 32, 4096])
    func `the memory is all zero when it is given back`(count: Int) {
        let seen = Mutex<[[UInt8]]>([])
        var secret: SecretBytes? = unsafe SecretBytes(copying: [UInt8](repeating: 0xA5, count: count)) { memory in
            let bytes = unsafe [UInt8](memory)
            seen.withLock { $0.append(bytes) }
            unsafe memory.deallocate()
        }
        #expect(secret?.withArray { $0 } == [UInt8](repeating: 0xA5, count: count))
        #expect(secret?.count == count)
        #expect(seen.withLock { $0.isEmpty })
        secret = nil
        #expect(seen.withLock { $0 } == [[UInt8](repeating: 0, count: count)])
    }

    @Test func `it is a copy of its own`() {
        var original: [UInt8] = [1, 2, 3]
        let secret = SecretBytes(copying: original)
        SecretMemory.wipe(&original)
        #expect(original == [0, 0, 0])
        #expect(secret.withArray { $0 } == [1, 2, 3])
    }

    @Test func `an HMAC key works on as long as one copy of it is left`() {
        var first: HMACKey? = HMACKey([UInt8](repeating: 1, count: 32), hash: .sha256)
        let code = first?.authenticationCode(for: [1])
        let second = first
        first = nil
        #expect(second?.authenticationCode(for: [1]) == code)
    }

    @Test func `trap 69: digests differ in any one octet, at either end`() throws {
        let digest = SHA256.hash([1])
        for place in 0..<32 {
            var bytes = digest.bytes
            bytes[place] ^= 0x80
            let other = try #require(SHA256Digest(bytes: bytes))
            #expect(!ConstantTime.areEqual(digest, other))
            #expect(!ConstantTime.areEqual(digest.bytes, other.bytes))
        }
        #expect(ConstantTime.areEqual(digest, SHA256.hash([1])))
        #expect(!ConstantTime.areEqual(digest.bytes, Array(digest.bytes.dropLast())))
    }
}
