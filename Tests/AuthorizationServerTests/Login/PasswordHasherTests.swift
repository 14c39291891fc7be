// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import ServerStorage
import TestSupport
import Testing

@Suite struct PasswordHasherTests {
    private static let hashers = [PasswordHasher(entropy: SeededEntropy()), .unprotected(entropy: SeededEntropy())]

    @Test(arguments: [0, 1])
    func `a hasher knows its own hashes`(index: Int) async throws {
        let hasher = Self.hashers[index]
        let hash = try await hasher.hash("a password")
        #expect(try await hasher.check("a password", against: hash))
        #expect(try await !hasher.check("b password", against: hash))
        #expect(try await !hasher.check("a password", against: nil))
        #expect(try await hasher.hash("a password") != hash, "each has a salt of its own")
    }

    @Test(arguments: [0, 1])
    func `a hash of another kind is no hash: a test's password opens no real server`(index: Int) async throws {
        let hash = try await Self.hashers[index].hash("a password")
        await #expect(throws: AuthorizationServerError.self) {
            try await Self.hashers[1 - index].check("a password", against: hash)
        }
    }

    @Test func `the stored form of scrypt stays as it is`() async throws {
        // Made by Python's hashlib.scrypt.
        let stored = PasswordHash(
            stored: "$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$D7lSJtJDGLLVcrxL7dWjkoRxbs-pMvcVYIJ-gbuyltk"
        )
        #expect(try await Self.hashers[0].check("correct horse battery staple", against: stored))
    }
}
