// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 7518 section 3.4: software keys sign with ES256")
struct SoftwareSigningKeyTests {
    @Test func `a new key signs 64 bytes that its public key verifies`() async throws {
        let key = try SoftwareSigningKey()
        let signature = try await key.sign([1, 2, 3])
        #expect(signature.count == 64)
        #expect(key.publicKey.isValidSignature(signature, for: [1, 2, 3], algorithm: .es256))
        #expect(!key.publicKey.isValidSignature(signature, for: [1, 2, 4], algorithm: .es256))
        #expect(key.algorithm == .es256)
        #expect(key.protection == .memory)
        #expect(try SoftwareSigningKey().publicKey != key.publicKey)
    }

    @Test func `the bytes of a key give the same key`() throws {
        let key = try SoftwareSigningKey()
        let again = try SoftwareSigningKey(
            privateKeyBytes: key.privateKeyBytes,
            algorithm: .es256,
            protection: .encryptedFile
        )
        #expect(again.publicKey == key.publicKey)
        #expect(again.protection == .encryptedFile)
    }

    @Test(arguments: [SignatureAlgorithm.es384, .es512, .edDSA, .ed25519])
    func `a new key of another algorithm signs, and its bytes give the same key`(
        algorithm: SignatureAlgorithm
    ) async throws {
        let key = try SoftwareSigningKey(generating: algorithm)
        let again = try SoftwareSigningKey(
            privateKeyBytes: key.privateKeyBytes,
            algorithm: algorithm,
            protection: .memory
        )
        #expect(again.publicKey == key.publicKey && again.algorithm == algorithm)
        let signature = try await again.sign([1, 2, 3])
        #expect(key.publicKey.isValidSignature(signature, for: [1, 2, 3], algorithm: algorithm))
        #expect(!key.publicKey.isValidSignature(signature, for: [1, 2, 4], algorithm: algorithm))
        #expect(try SoftwareSigningKey(generating: algorithm).publicKey != key.publicKey)
    }

    @Test func `any number of threads verify and sign at once`() async throws {
        let keys = try [SignatureAlgorithm.es384, .es512, .ed25519].map { try SoftwareSigningKey(generating: $0) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<96 {
                group.addTask {
                    let key = keys[task % keys.count]
                    let signature = try await key.sign([UInt8(task)])
                    return key.publicKey.isValidSignature(signature, for: [UInt8(task)], algorithm: key.algorithm)
                        && !key.publicKey.isValidSignature(signature, for: [], algorithm: key.algorithm)
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    @Test(arguments: ["ES256K", "HS256", "none", "es256", "Ed448", "RS1", ""])
    func `refuses another algorithm`(name: String) {
        let algorithm = SignatureAlgorithm(rawValue: name)
        #expect(errorCode { try SoftwareSigningKey(generating: algorithm) } == .algorithmNotAllowed)
        let bytes = [UInt8](repeating: 1, count: 32)
        #expect(
            errorCode { try SoftwareSigningKey(privateKeyBytes: bytes, algorithm: algorithm, protection: .memory) }
                == .algorithmNotAllowed
        )
    }

    @Test(
        arguments: [
            [], [1], [UInt8](repeating: 0, count: 32), [UInt8](repeating: 255, count: 32),
            [UInt8](repeating: 1, count: 33),
        ] as [[UInt8]]
    )
    func `refuses bytes that are no private key`(bytes: [UInt8]) {
        #expect(
            errorCode { try SoftwareSigningKey(privateKeyBytes: bytes, algorithm: .es256, protection: .memory) }
                == .malformedKey
        )
    }

    @Test func `printing a key does not show its private half`() throws {
        let key = try TestKey.p256(0xAB)
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains("171, 171"))
            #expect(!text.lowercased().contains("abab"))
        }
    }

    @Test func `the system's random bytes are as many as asked for and differ`() {
        #expect(SystemEntropy().bytes(0).isEmpty)
        #expect(SystemEntropy().bytes(32).count == 32)
        #expect(SystemEntropy().bytes(32) != SystemEntropy().bytes(32))
    }
}
