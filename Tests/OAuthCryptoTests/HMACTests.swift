// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import Testing

@Suite("RFC 4231: HMAC-SHA-256")
struct HMACTests {
    struct Vector: Sendable {
        let key: [UInt8]
        let message: [UInt8]
        let code: String
    }

    static let vectors = [
        Vector(
            key: [UInt8](repeating: 0x0b, count: 20),
            message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        Vector(
            key: Array("Jefe".utf8),
            message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        Vector(
            key: [UInt8](repeating: 0xaa, count: 20),
            message: [UInt8](repeating: 0xdd, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        Vector(
            key: [UInt8](1...25),
            message: [UInt8](repeating: 0xcd, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        Vector(
            key: [UInt8](repeating: 0xaa, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        Vector(
            key: [UInt8](repeating: 0xaa, count: 131),
            message: Array(
                """
                This is a test using a larger than block-size key and a larger than block-size data. \
                The key needs to be hashed before being used by the HMAC algorithm.
                """.utf8
            ),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
        Vector(key: [], message: [], code: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ]

    @Test(arguments: vectors)
    func `makes the published codes, again and again with one key`(vector: Vector) {
        let key = HMACSHA256Key(vector.key)
        for _ in 0..<3 {
            #expect(key.authenticationCode(for: vector.message).bytes == octets(vector.code))
            #expect(key.authenticationCode(for: [UInt8](0..<200)).bytes != octets(vector.code))
        }
    }

    @Test func `copies of a key work at once from many tasks`() async {
        let key = HMACSHA256Key(Array("Jefe".utf8))
        let expected = (0..<64).map { HMACSHA256Key(Array("Jefe".utf8)).authenticationCode(for: [UInt8($0)]) }
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<64 {
                group.addTask {
                    (0..<50).allSatisfy { _ in key.authenticationCode(for: [UInt8(task)]) == expected[task] }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
