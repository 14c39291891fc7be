// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import Testing

@Suite("RFC 7518 section 3.4: verifying ES256")
struct P256VerificationTests {
    struct Vector: Sendable {
        let message: String
        let signature: String
    }

    /// RFC 6979 appendix A.2.5: P-256 with SHA-256.
    static let signatures = [
        Vector(
            message: "sample",
            signature: """
                EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716
                F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8
                """
        ),
        Vector(
            message: "test",
            signature: """
                F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367
                019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083
                """
        ),
    ]
    static let order = "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"
    static let prime = "FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF"
    static let x = "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
    static let y = "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"

    private let message = Array("sample".utf8)
    private let signature = octets(signatures[0].signature)

    private func publicKey(x: String = x, y: String = y) throws -> P256PublicKey {
        try P256PublicKey(x: octets(x), y: octets(y))
    }

    @Test(arguments: signatures)
    func `accepts the signatures of RFC 6979 appendix A 2 5`(vector: Vector) throws {
        let key = try publicKey()
        #expect(key.isOnCurve())
        #expect(key.isValidSignature(octets(vector.signature), for: Array(vector.message.utf8)))
        #expect(!key.isValidSignature(octets(vector.signature), for: Array("other".utf8)))
        #expect(!key.isValidSignature(octets(vector.signature), for: []))
    }

    @Test func `accepts the token of RFC 7515 appendix A 3`() throws {
        let signingInput = """
            eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt\
            cGxlLmNvbS9pc19yb290Ijp0cnVlfQ
            """
        let key = try publicKey(
            x: "7fcdce2770f6c45d4183cbee6fdb4b7b580733357be9ef13bacf6e3c7bd15445",
            y: "c7f144cd1bbd9b7e872cdfedb9eeb9f4b3695d6ea90b24ad8a4623288588e5ad"
        )
        let signature = octets(
            """
            0ed1215379636c483c2f7f155807d402a3b228033af97c7e17819ac3169ea665
            c50a07d38c3c70e5d8f12daf084a5480a66590c5f293509a8f3f7f8a83a354d5
            """
        )
        #expect(key.isValidSignature(signature, for: Array(signingInput.utf8)))
        #expect(!key.isValidSignature(signature, for: Array(signingInput.dropLast().utf8)))
    }

    @Test(arguments: [0, 1, 32, 63, 65, 70, 128])
    func `refuses a signature that is not 64 octets`(count: Int) throws {
        let bytes = Array((signature + signature)[..<count])
        #expect(!(try publicKey().isValidSignature(bytes, for: message)))
    }

    @Test func `refuses r or s that is zero, the order, or above it`() throws {
        let zero = [UInt8](repeating: 0, count: 32)
        let ones = [UInt8](repeating: 0xff, count: 32)
        let order = octets(Self.order)
        let (r, s) = (Array(signature[..<32]), Array(signature[32...]))
        let forged = [zero + s, r + zero, zero + zero, order + s, r + order, ones + s, r + ones, ones + ones]
        for signature in forged {
            #expect(!(try publicKey().isValidSignature(signature, for: message)))
        }
        #expect(try publicKey().isValidSignature(signature, for: message))
    }

    @Test func `refuses a change of any octet of the signature`() throws {
        let key = try publicKey()
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 0x01
            #expect(!key.isValidSignature(changed, for: message))
        }
        #expect(key.isValidSignature(signature, for: message))
    }

    @Test func `refuses coordinates that are not 32 octets`() {
        let (x, y) = (octets(Self.x), octets(Self.y))
        #expect(throws: CryptoError.self) { try P256PublicKey(x: Array(x.dropFirst()), y: y) }
        #expect(throws: CryptoError.self) { try P256PublicKey(x: x, y: [0] + y) }
        #expect(throws: CryptoError.self) { try P256PublicKey(x: [], y: []) }
    }

    @Test func `refuses points that are not on the curve, and stays good for those that are`() throws {
        let zero = String(repeating: "00", count: 32)
        var offCurve = octets(Self.y)
        offCurve[31] ^= 1
        let bad = [
            try P256PublicKey(x: octets(Self.x), y: offCurve),
            try publicKey(x: zero, y: zero),
            try publicKey(x: Self.prime, y: Self.y),
            try publicKey(x: Self.x, y: Self.prime),
            try publicKey(x: Self.y, y: Self.x),
        ]
        for _ in 0..<3 {
            for key in bad {
                #expect(!key.isOnCurve())
                #expect(!key.isValidSignature(signature, for: message))
            }
            #expect(try publicKey().isOnCurve())
            #expect(try publicKey().isValidSignature(signature, for: message))
        }
    }

    @Test func `keeps keys apart when many tasks verify at once`() async throws {
        let keys = try (0..<8).map { _ in try P256PrivateKey() }
        let message = self.message
        let signatures = try keys.map { try $0.signature(for: message) }
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<64 {
                group.addTask {
                    (0..<20).allSatisfy { round in
                        let (key, signature) = ((task + round) % 8, (task + round * 3) % 8)
                        let isValid = keys[key].publicKey
                            .isValidSignature(signatures[signature], for: message)
                        return isValid == (key == signature)
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func `keys that were used lately, forged signatures of theirs, and more keys than are remembered`() throws {
        let keys = try (0..<400).map { _ in try P256PrivateKey() }
        let signatures = try keys.map { try $0.signature(for: message) }
        for _ in 0..<3 {
            for (number, key) in keys.enumerated() {
                let other = keys[(number + 1) % keys.count].publicKey
                #expect(key.publicKey.isValidSignature(signatures[number], for: message))
                #expect(!key.publicKey.isValidSignature(signatures[number], for: message + [0]))
                #expect(!other.isValidSignature(signatures[number], for: message))
                #expect(key.publicKey.isValidSignature(signatures[number], for: message))
            }
        }
    }

    @Test func `one key on many threads`() async throws {
        let (first, second) = (try P256PrivateKey(), try P256PrivateKey())
        let message = message
        let signatures = (try first.signature(for: message), try second.signature(for: message))
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<50).count { _ in
                        first.publicKey.isValidSignature(signatures.0, for: message)
                            && !first.publicKey.isValidSignature(signatures.1, for: message)
                            && second.publicKey.isValidSignature(signatures.1, for: message)
                    }
                }
            }
            for await count in group { #expect(count == 50) }
        }
    }
}
