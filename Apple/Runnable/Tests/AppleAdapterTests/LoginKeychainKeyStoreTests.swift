// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
import KeyStoreSuite
import Security
import SigningKeys
import Testing

extension AppleAdapters {
    @Suite("Keys of programs without entitlements, with a secret in the login keychain")
    struct LoginKeychainKeyStoreTests {
        private let directory = NSTemporaryDirectory() + "login-keychain-" + UUID().uuidString

        init() {
            AppleAdapters.resetDevice()
            // As for a command line tool.
            FakeKeychain.setGroups([])
        }

        private func store(_ name: String = "com.example.tool") throws -> LoginKeychainKeyStore {
            try LoginKeychainKeyStore(directory: directory, name: name)
        }

        @Test func `a key outlives the process, and its secret is in the login keychain alone`() async throws {
            let alias = try KeyAlias("dpop-a")
            let made = try await store().loadOrGenerate(alias: alias, algorithm: .es256)
            let loaded = try #require(try await store().load(alias))
            #expect(loaded.publicKey.thumbprint == made.publicKey.thumbprint)
            #expect(made.protection == .encryptedFile)
            let item = try #require(FakeKeychain.items.first)
            #expect(FakeKeychain.items.count == 1 && item.data.count == 32)
            #expect(item.attributes[kSecUseDataProtectionKeychain] == "false")
            #expect(item.attributes[kSecAttrAccount] == "com.example.tool")
            let facts = try await store().facts(about: alias)
            #expect(facts?.contains { $0.value.contains("login keychain") } == true)
        }

        @Test func `the last key takes the secret with it`() async throws {
            let aliases = try [KeyAlias("a"), KeyAlias("b")]
            for alias in aliases { _ = try await store().loadOrGenerate(alias: alias, algorithm: .es256) }
            try await store().delete(aliases[0])
            #expect(FakeKeychain.items.count == 1)
            try await store().delete(aliases[1])
            #expect(FakeKeychain.items.isEmpty)
        }

        @Test func `a secret that is gone or another one is a lost key, and no new one is made`() async throws {
            let alias = try KeyAlias("a")
            _ = try await store().loadOrGenerate(alias: alias, algorithm: .es256)
            FakeKeychain.change { $0[0] ^= 1 }
            #expect(await code { _ = try await store().load(alias) } == .keyLost)
            FakeKeychain.change { $0 = Data([1]) }
            #expect(await code { _ = try await store().load(alias) } == .keyLost)
            AppleAdapters.resetDevice()
            #expect(await code { _ = try await store().load(alias) } == .keyLost)
            #expect(
                await code { _ = try await store().loadOrGenerate(alias: KeyAlias("b"), algorithm: .es256) } == .keyLost
            )
            #expect(FakeKeychain.items.isEmpty)
        }

        @Test func `a locked keychain is an error that passes`() async throws {
            let alias = try KeyAlias("a")
            _ = try await store().loadOrGenerate(alias: alias, algorithm: .es256)
            FakeKeychain.fail(.copy, errSecInteractionNotAllowed)
            #expect(await code { _ = try await store().load(alias) } == .deviceLocked)
            FakeKeychain.fail(.copy, nil)
            #expect(try await store().load(alias) != nil)
        }

        @Test func `a manager takes it where the program is not signed, and the Keychain where it is`() async throws {
            func manager() throws -> KeyManager {
                KeyManager(
                    hardware: [KeyLocation("keychain", KeychainKeyStore(service: "com.example.tool"))],
                    software: KeyLocation("login keychain", try store()),
                    placements: MemoryKeyLocationStore()
                )
            }
            let key = try await manager().generateKey(alias: KeyAlias("a"))
            #expect(key.protection == .encryptedFile)
            AppleAdapters.resetDevice()
            #expect(try await manager().generateKey(alias: KeyAlias("c")).protection == .hardwareBound)
        }

        @Test(arguments: ["", String(repeating: "n", count: 257)])
        func `a name that cannot be one is refused`(_ name: String) async {
            #expect(await code { _ = try store(name) } == .invalidSecret)
        }
    }
}
