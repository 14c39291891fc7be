// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OAuthCrypto

@Suite("RFC 7518 section 3.4: signing with ES256")
struct P256SigningTests {
    /// RFC 6979 appendix A.2.5.
    private let scalar = octets("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721")

    @Test func `computes the public key of RFC 6979 appendix A 2 5`() throws {
        let key = try P256PrivateKey(rawRepresentation: scalar)
        #expect(key.publicKey.x == octets("60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"))
        #expect(key.publicKey.y == octets("7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"))
        #expect(key.rawRepresentation == scalar)
    }

    @Test func `signatures are 64 octets and verify with the public key only`() throws {
        let key = try P256PrivateKey()
        let other = try P256PrivateKey()
        #expect(key.publicKey != other.publicKey)
        for length in [0, 1, 31, 64, 1000] {
            let message = [UInt8](repeating: 0x5a, count: length)
            let signature = try key.signature(for: message)
            #expect(signature.count == 64)
            #expect(key.publicKey.isValidSignature(signature, for: message))
            #expect(!other.publicKey.isValidSignature(signature, for: message))
        }
    }

    @Test func `short numbers are filled with zeros on the left`() throws {
        let key = try P256PrivateKey(rawRepresentation: scalar)
        var (sawShortR, sawShortS) = (false, false)
        // One signature in 256 has a short r, one in 256 a short s: 6000 without one happen once in 10^10 times.
        for number in 0..<6000 where !(sawShortR && sawShortS) {
            let message = [UInt8(number >> 8), UInt8(number & 0xff)]
            let signature = try key.signature(for: message)
            #expect(signature.count == 64)
            let isShort = (r: signature[0] == 0, s: signature[32] == 0)
            if isShort.r || isShort.s {
                #expect(key.publicKey.isValidSignature(signature, for: message))
            }
            sawShortR = sawShortR || isShort.r
            sawShortS = sawShortS || isShort.s
        }
        #expect(sawShortR)
        #expect(sawShortS)
    }

    @Test func `a key survives export and import`() throws {
        for _ in 0..<20 {
            let key = try P256PrivateKey()
            let copy = try P256PrivateKey(rawRepresentation: key.rawRepresentation)
            #expect(key.rawRepresentation.count == 32)
            #expect(copy.publicKey == key.publicKey)
            let message = Array("message".utf8)
            #expect(try key.publicKey.isValidSignature(copy.signature(for: message), for: message))
        }
    }

    @Test func `takes the smallest and the largest number`() throws {
        let one = try P256PrivateKey(rawRepresentation: [UInt8](repeating: 0, count: 31) + [1])
        // The base point of the curve.
        #expect(one.publicKey.x == octets("6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296"))
        var largest = octets(P256VerificationTests.order)
        largest[31] -= 1
        let last = try P256PrivateKey(rawRepresentation: largest)
        #expect(last.publicKey.x == one.publicKey.x)
        #expect(last.publicKey.y != one.publicKey.y)
        #expect(last.rawRepresentation == largest)
    }

    @Test func `refuses zero, the order and above, and other lengths`() {
        let order = octets(P256VerificationTests.order)
        let bad = [
            [UInt8](repeating: 0, count: 32), order, [UInt8](repeating: 0xff, count: 32),
            [], Array(scalar.dropFirst()), [0] + scalar,
        ]
        for scalar in bad {
            #expect(throws: CryptoError.self) { try P256PrivateKey(rawRepresentation: scalar) }
        }
    }

    @Test func `one key signs for many tasks at once`() async throws {
        let key = try P256PrivateKey()
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<64 {
                group.addTask {
                    (0..<20).allSatisfy { round in
                        let message = [UInt8(task), UInt8(round)]
                        guard let signature = try? key.signature(for: message) else { return false }
                        return key.publicKey.isValidSignature(signature, for: message)
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
