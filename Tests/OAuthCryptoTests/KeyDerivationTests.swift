// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import TestSupport
import Testing

@Suite("RFC 5869 appendix A: HKDF with SHA-256")
struct HKDFTests {
    @Test func `test case 1, basic`() throws {
        let key = try HKDFSHA256.deriveKey(
            from: [UInt8](repeating: 0x0b, count: 22),
            salt: [UInt8](0x00...0x0c),
            info: [UInt8](0xf0...0xf9),
            count: 42
        )
        #expect(
            key == octets("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        )
    }

    @Test func `test case 2, long inputs`() throws {
        let key = try HKDFSHA256.deriveKey(
            from: [UInt8](0x00...0x4f),
            salt: [UInt8](0x60...0xaf),
            info: [UInt8](0xb0...0xff),
            count: 82
        )
        let expected = """
            b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c
            59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71
            cc30c58179ec3e87c14c01d5c1f3434f1d87
            """
        #expect(key == octets(expected))
    }

    @Test func `test case 3, empty salt and info`() throws {
        let key = try HKDFSHA256.deriveKey(from: [UInt8](repeating: 0x0b, count: 22), salt: [], info: [], count: 42)
        #expect(
            key == octets("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
        )
    }

    @Test(arguments: [-1, 0, 8161])
    func `refuses a length outside 1 to 8160`(count: Int) {
        #expect(throws: CryptoError.self) {
            try HKDFSHA256.deriveKey(from: [1], salt: [], info: [], count: count)
        }
    }

    @Test func `gives the longest key there is`() throws {
        #expect(try HKDFSHA256.deriveKey(from: [1], salt: [], info: [], count: 8160).count == 8160)
    }
}

@Suite("RFC 7914 section 12: scrypt", .computesForLong)
struct ScryptTests {
    @Test func `derives with N 1024, r 8, p 16`() throws {
        let key = try Scrypt.deriveKey(
            from: Array("password".utf8),
            salt: Array("NaCl".utf8),
            parameters: ScryptParameters(cost: 1024, blockSize: 8, parallelism: 16),
            count: 64
        )
        let expected = """
            fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162
            2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
            """
        #expect(key == octets(expected))
    }

    @Test func `derives from nothing`() throws {
        let key = try Scrypt.deriveKey(
            from: [],
            salt: [],
            parameters: ScryptParameters(cost: 16, blockSize: 1, parallelism: 1),
            count: 64
        )
        let expected = """
            77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442
            fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906
            """
        #expect(key == octets(expected))
    }

    @Test(arguments: [ScryptParameters.passphrase, .password])
    func `works with the parameters of this project`(parameters: ScryptParameters) throws {
        let key = try Scrypt.deriveKey(from: [1], salt: [2], parameters: parameters, count: 32)
        #expect(key.count == 32)
        #expect(Set(key).count > 8)
    }

    @Test(arguments: [
        ScryptParameters(cost: 0, blockSize: 8, parallelism: 1),
        ScryptParameters(cost: 1, blockSize: 8, parallelism: 1),
        ScryptParameters(cost: 1000, blockSize: 8, parallelism: 1),
        ScryptParameters(cost: -1024, blockSize: 8, parallelism: 1),
        ScryptParameters(cost: .max, blockSize: 8, parallelism: 1),
        ScryptParameters(cost: 1 << 20, blockSize: 8, parallelism: 1),
        ScryptParameters(cost: 1024, blockSize: 0, parallelism: 1),
        ScryptParameters(cost: 1024, blockSize: .max, parallelism: 1),
        ScryptParameters(cost: 1024, blockSize: 8, parallelism: 0),
        ScryptParameters(cost: 1024, blockSize: 8, parallelism: -1),
    ])
    func `refuses parameters out of range or beyond 1 GiB`(parameters: ScryptParameters) {
        #expect(throws: CryptoError.self) {
            try Scrypt.deriveKey(from: [1], salt: [2], parameters: parameters, count: 32)
        }
    }

    @Test(arguments: [-1, 0, 1025])
    func `refuses a length outside 1 to 1024`(count: Int) {
        #expect(throws: CryptoError.self) {
            try Scrypt.deriveKey(
                from: [1],
                salt: [2],
                parameters: ScryptParameters(cost: 16, blockSize: 1, parallelism: 1),
                count: count
            )
        }
    }
}
