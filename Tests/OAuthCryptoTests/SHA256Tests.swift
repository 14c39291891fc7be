// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import Testing

@Suite("FIPS 180-4, RFC 6234: SHA-256")
struct SHA256Tests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `hashes the published messages`(message: String, digest: String) {
        #expect(SHA256.hash(Array(message.utf8)).bytes == octets(digest))
    }

    @Test func `hashes a million letters`() {
        let message = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let digest = SHA256.hash(message.span)
        #expect(digest.bytes == octets("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"))
    }

    @Test func `hashes the middle of a longer array`() {
        let message = Array("xxabcxx".utf8)
        #expect(SHA256.hash(message.span.extracting(2..<5)) == SHA256.hash(Array("abc".utf8)))
        #expect(SHA256.hash(message.span.extracting(2..<2)) == SHA256.hash([]))
    }

    @Test func `a digest is made of exactly 32 octets`() throws {
        let bytes = [UInt8](0..<32)
        let digest = try #require(SHA256Digest(bytes: bytes))
        #expect(digest.bytes == bytes)
        #expect(digest.withBytes { span in bytes.indices.allSatisfy { span[$0] == bytes[$0] } && span.count == 32 })
        #expect(SHA256Digest(bytes: [UInt8](0..<31)) == nil)
        #expect(SHA256Digest(bytes: [UInt8](0..<33)) == nil)
        #expect(SHA256Digest(bytes: []) == nil)
    }
}
