// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
import KeyStoreSuite
import Security
import SigningKeys
import Testing

extension AppleAdapters {
    @Suite("Records of the places of keys in the Keychain")
    final class KeychainKeyLocationStoreTests: Sendable {
        private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        private let alias: KeyAlias
        private var store: KeychainKeyLocationStore {
            KeychainKeyLocationStore(directory: directory, accessGroup: "TEAM.shared")
        }

        init() throws {
            AppleAdapters.resetDevice()
            alias = try KeyAlias("key")
        }

        deinit {
            try? FileManager.default.removeItem(atPath: directory)
        }

        private func manager(_ policy: KeyPolicy = .preferHardware) -> KeyManager {
            KeyManager(
                policy: policy,
                hardware: [
                    KeyLocation("enclave", KeychainKeyStore(service: "enclave", policy: .requireSecureEnclave))
                ],
                software: KeyLocation("keychain", KeychainKeyStore(service: "software", policy: .softwareOnly)),
                placements: store
            )
        }

        @Test func `managers of an app and its extension keep the promises of a key store`() async throws {
            try await KeyStoreBehaviour(manager(), protection: .hardwareBound, algorithms: []) { self.manager() }
                .check()
            #expect(FakeKeychain.items.isEmpty)
            #expect(FakeKeychain.callsInTasks == 0)
        }

        @Test func `a record stays on the device, in the group, and knows only its own name`() async throws {
            try await store.withLock { () async throws(KeyStoreError) in try await store.record("enclave", of: alias) }
            #expect(try await store.place(of: alias) == "enclave")
            #expect(try await store.place(of: KeyAlias("other")) == nil)
            #expect(try await store.aliases() == [alias])
            #expect(await code { try await store.record("keychain", of: alias) } == .storageFailed)
            #expect(try await store.place(of: alias) == "enclave")
            let attributes = try #require(FakeKeychain.items.first?.attributes)
            #expect(attributes[kSecAttrAccessible] == "cku")
            #expect(attributes[kSecAttrAccessGroup] == "TEAM.shared")
            #expect(attributes[kSecAttrSynchronizable] == "false")
            try await store.forget(alias)
            #expect(try await store.place(of: alias) == nil)
        }

        @Test func `records that cannot be read now, or not at all, are no reason to make a key`() async throws {
            _ = try await manager().loadOrGenerate(alias: alias)
            FakeKeychain.setLock(.beforeFirstUnlock)
            #expect(await code { _ = try await manager().loadOrGenerate(alias: alias) } == .deviceLocked)
            FakeKeychain.setLock(.unlocked)
            try await store.forget(alias)
            #expect(await code { try await store.record("", of: alias) } == .storageFailed)
            #expect(
                await code { try await store.record(String(repeating: "x", count: 257), of: alias) } == .storageFailed
            )
        }

        @Test func `app and extension are in there one after the other`() async throws {
            let stores = [store, store]
            let running = Noted(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<8 {
                    group.addTask {
                        try await stores[index % 2].withLock { () async throws(KeyStoreError) in
                            #expect(
                                running.change {
                                    $0 += 1
                                    return $0
                                } == 1
                            )
                            try? await Task.sleep(for: .milliseconds(2))
                            running.change { $0 -= 1 }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let impatient = KeychainKeyLocationStore(directory: directory, timeout: .milliseconds(20))
            let refusal = try await store.withLock { () async throws(KeyStoreError) -> KeyStoreError.Code? in
                await code { try await impatient.withLock { () async throws(KeyStoreError) in } }
            }
            #expect(refusal == .storageFailed)
        }
    }
}
