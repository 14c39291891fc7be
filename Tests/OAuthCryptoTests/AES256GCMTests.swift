// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import Testing

@Suite("McGrew and Viega, The Galois Counter Mode of Operation, appendix B: AES-256-GCM")
struct AES256GCMTests {
    private let key = octets("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
    private let nonce = octets("cafebabefacedbaddecaf888")
    private let header = octets("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    private let plaintext = octets(
        """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
        """
    )
    private let sealed = octets(
        """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
        8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
        76fc6ece0f4e1768cddf8853bb2d551b
        """
    )

    @Test func `test case 16, with a header`() throws {
        #expect(try AES256GCM.seal(plaintext, key: key, nonce: nonce, authenticating: header) == sealed)
        #expect(try AES256GCM.open(sealed, key: key, nonce: nonce, authenticating: header) == plaintext)
    }

    @Test func `test case 14, without a header`() throws {
        let zeros = [UInt8](repeating: 0, count: 32)
        let sealed = try AES256GCM.seal(
            Array(zeros[..<16]),
            key: zeros,
            nonce: Array(zeros[..<12]),
            authenticating: []
        )
        #expect(sealed == octets("cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"))
    }

    @Test func `test case 13, nothing at all`() throws {
        let zeros = [UInt8](repeating: 0, count: 32)
        let nonce = Array(zeros[..<12])
        let sealed = try AES256GCM.seal([], key: zeros, nonce: nonce, authenticating: [])
        #expect(sealed == octets("530f8afbc74536b9a963b4f1c4cb738b"))
        #expect(try AES256GCM.open(sealed, key: zeros, nonce: nonce, authenticating: []) == [])
    }

    @Test func `refuses a change of any bit of ciphertext and tag`() {
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1 << UInt8(index % 8)
            #expect(throws: CryptoError.self) {
                try AES256GCM.open(changed, key: key, nonce: nonce, authenticating: header)
            }
        }
    }

    @Test func `refuses another header, nonce or key`() {
        var (otherKey, otherNonce, otherHeader) = (key, nonce, header)
        otherKey[31] ^= 1
        otherNonce[0] ^= 1
        otherHeader.removeLast()
        #expect(throws: CryptoError.self) {
            try AES256GCM.open(sealed, key: otherKey, nonce: nonce, authenticating: header)
        }
        #expect(throws: CryptoError.self) {
            try AES256GCM.open(sealed, key: key, nonce: otherNonce, authenticating: header)
        }
        #expect(throws: CryptoError.self) {
            try AES256GCM.open(sealed, key: key, nonce: nonce, authenticating: otherHeader)
        }
        #expect(throws: CryptoError.self) {
            try AES256GCM.open(sealed, key: key, nonce: nonce, authenticating: [])
        }
    }

    @Test(arguments: [0, 1, 15, 16, 75])
    func `refuses a truncated message`(count: Int) {
        #expect(throws: CryptoError.self) {
            try AES256GCM.open(Array(sealed[..<count]), key: key, nonce: nonce, authenticating: header)
        }
    }

    @Test(arguments: [0, 16, 31, 33])
    func `refuses a key that is not 32 octets`(count: Int) {
        let key = [UInt8](repeating: 1, count: count)
        #expect(throws: CryptoError.self) { try AES256GCM.seal([1], key: key, nonce: nonce, authenticating: []) }
        #expect(throws: CryptoError.self) { try AES256GCM.open(sealed, key: key, nonce: nonce, authenticating: header) }
    }

    @Test(arguments: [0, 11, 13, 16])
    func `refuses a nonce that is not 12 octets`(count: Int) {
        let nonce = [UInt8](repeating: 1, count: count)
        #expect(throws: CryptoError.self) { try AES256GCM.seal([1], key: key, nonce: nonce, authenticating: []) }
        #expect(throws: CryptoError.self) { try AES256GCM.open(sealed, key: key, nonce: nonce, authenticating: header) }
    }
}
