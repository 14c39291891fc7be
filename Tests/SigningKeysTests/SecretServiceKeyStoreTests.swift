// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import KeyStoreSuite
import TestSupport
import Testing

@testable import SigningKeys

@Suite("Keys that a secret of the desktop's keyring opens")
struct SecretServiceKeyStoreTests {
    private let directory: TemporaryDirectory
    private let alias: KeyAlias

    init() throws {
        directory = try TemporaryDirectory()
        alias = try KeyAlias("app")
    }

    private func store(_ desktop: Desktop, _ name: String = "com.example.app") throws -> SecretServiceKeyStore {
        try SecretServiceKeyStore(directory: directory.keys, name: name, busAddress: desktop.busAddress)
    }

    @Test func `keeps the promises of a key store, and leaves nothing behind`() async throws {
        let desktop = try await Desktop(in: directory.path)
        try await KeyStoreBehaviour(store(desktop), protection: .encryptedFile) { try store(desktop) }.check()
        #expect(try await !desktop.hasSecret("com.example.app"))
    }

    @Test func `the secret is not in the files, and is made once`() async throws {
        let desktop = try await Desktop(in: directory.path)
        let key = try await store(desktop).loadOrGenerate(alias: alias)
        _ = try await store(desktop).loadOrGenerate(alias: KeyAlias("other"))
        #expect(try await desktop.hasSecret("com.example.app"))
        #expect(try String(decoding: directory.contents("app.key"), as: UTF8.self).contains("hkdf-sha256"))
        #expect(try await store(desktop).load(alias)?.publicKey == key.publicKey)
        #expect(try await store(desktop).facts(about: alias)?.map(\.name).last == "opened by")
        try await store(desktop).delete(alias)
        #expect(try await desktop.hasSecret("com.example.app"))
        try await store(desktop).delete(KeyAlias("other"))
        #expect(try await !desktop.hasSecret("com.example.app"))
    }

    @Test func `a secret that is gone or another is a lost key, never a new one`() async throws {
        let desktop = try await Desktop(in: directory.path)
        _ = try await store(desktop).loadOrGenerate(alias: alias)
        let file = try directory.contents("app.key")
        let other = try KeyAlias("other")
        func expectLoss(_ what: String) async throws {
            #expect(await failure { _ = try await store(desktop).load(alias) } == .keyLost, "\(what)")
            #expect(await failure { _ = try await store(desktop).loadOrGenerate(alias: alias) } == .keyLost, "\(what)")
            #expect(await failure { _ = try await store(desktop).loadOrGenerate(alias: other) } == .keyLost, "\(what)")
        }
        try await desktop.forgetAll()
        try await expectLoss("no secret")
        #expect(try await !desktop.hasSecret("com.example.app"))
        try await desktop.replace("com.example.app", with: "too short")
        try await expectLoss("another text")
        try await desktop.replace("com.example.app", with: String(repeating: "x", count: 32))
        try await expectLoss("another secret")
        #expect(try directory.contents("app.key") == file)
        #expect(try await store(desktop).aliases() == [alias])
        try await store(desktop).delete(alias)
        #expect(try await store(desktop).loadOrGenerate(alias: alias).protection == .encryptedFile)
    }

    @Test func `a locked keyring is locked, for keys that are there and for new ones`() async throws {
        let desktop = try await Desktop(in: directory.path)
        let key = try await store(desktop).loadOrGenerate(alias: alias)
        let other = try SecretServiceKeyStore(
            directory: directory.path + "/others",
            name: "com.example.other",
            busAddress: desktop.busAddress
        )
        try await desktop.lock()
        #expect(await failure { _ = try await store(desktop).load(alias) } == .deviceLocked)
        #expect(await failure { _ = try await store(desktop).loadOrGenerate(alias: alias) } == .deviceLocked)
        #expect(await failure { _ = try await other.loadOrGenerate(alias: alias) } == .deviceLocked)
        #expect(try await other.load(alias) == nil)
        // What was opened before needs no keyring.
        #expect(try await key.works())
        try await store(desktop).delete(alias)
        #expect(try await store(desktop).aliases() == [])
    }

    @Test func `without a desktop nothing is known`() async throws {
        let desktop = try await Desktop(in: directory.path)
        let store = try store(desktop)
        _ = try await store.loadOrGenerate(alias: alias)
        await desktop.end()
        #expect(await failure { _ = try await store.load(alias) } == .deviceUnavailable)
        #expect(await failure { _ = try await store.loadOrGenerate(alias: KeyAlias("other")) } == .deviceUnavailable)
        #expect(try await store.aliases() == [alias])
        let nonsense = try SecretServiceKeyStore(directory: directory.keys, name: "a", busAddress: "nonsense")
        #expect(await failure { _ = try await nonsense.load(alias) } == .deviceUnavailable)
    }

    @Test func `a damaged file is damaged whatever the keyring says`() async throws {
        let desktop = try await Desktop(in: directory.path)
        _ = try await store(desktop).loadOrGenerate(alias: alias)
        var bytes = try directory.contents("app.key")
        try directory.write(Array(bytes.dropLast(9)), to: "app.key")
        #expect(await failure { _ = try await store(desktop).load(alias) } == .malformedKeyFile)
        bytes[bytes.count - 6] ^= 1
        try directory.write(bytes, to: "app.key")
        #expect(await failure { _ = try await store(desktop).loadOrGenerate(alias: alias) } == .malformedKeyFile)
    }

    @Test(arguments: ["", String(repeating: "x", count: 257), "a\0b"])
    func `refuses a name that is none`(name: String) {
        #expect { try SecretServiceKeyStore(directory: directory.keys, name: name) } throws: {
            ($0 as? KeyStoreError)?.code == .invalidSecret
        }
    }
}
#endif
