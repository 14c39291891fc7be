// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import TestSupport
import Testing

@testable import SigningKeys

@Suite("Keys that are sealed for other places than files")
struct KeyFileWrapperTests {
    private static let credential = [UInt8](1...32)

    @Test(arguments: [SignatureAlgorithm.es256, .rs256, .edDSA])
    func `a sealed key opens again, under its name and with its secret only`(algorithm: SignatureAlgorithm) throws {
        let sealer = try KeyFileWrapper(encryptingWith: .credential(Self.credential))
        let (alias, other) = (try KeyAlias("a"), try KeyAlias("b"))
        let key = try algorithm == .rs256 ? TestKey.rsa() : SoftwareSigningKey(generating: algorithm)
        let sealed = try sealer.seal(key, as: alias)
        let opened = try sealer.open(sealed, as: alias)
        #expect(opened.publicKey == key.publicKey)
        #expect(opened.algorithm == algorithm && opened.protection == .encryptedFile)
        #expect(throws: KeyStoreError.self) { try sealer.open(sealed, as: other) }
        let wrong = try KeyFileWrapper(encryptingWith: .credential(Self.credential.reversed()))
        let error = #expect(throws: KeyStoreError.self) { try wrong.open(sealed, as: alias) }
        #expect(error?.code == .wrongPassphrase)
        let plain = #expect(throws: KeyStoreError.self) {
            try KeyFileWrapper.leavingKeysUnencrypted().open(sealed, as: alias)
        }
        #expect(plain?.code == .malformedKeyFile)
    }

    @Test func `no two seals of a key are the same`() throws {
        let sealer = try KeyFileWrapper(encryptingWith: .credential(Self.credential))
        let (alias, key) = (try KeyAlias("a"), try SoftwareSigningKey())
        #expect(try sealer.seal(key, as: alias) != sealer.seal(key, as: alias))
        #expect(try "\(sealer.seal(key, as: alias))" == "<redacted>")
    }

    @Test func `a secret that is none is rejected, and what hides nothing says so`() throws {
        #expect(throws: KeyStoreError.self) { try KeyFileWrapper(encryptingWith: .credential([1])) }
        #expect(KeyFileWrapper.leavingKeysUnencrypted().protection == .unencryptedFile)
    }
}
#endif
