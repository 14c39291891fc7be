// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation
import JOSE
import KeyStoreSuite
import LocalAuthentication
import Security
import SigningKeys
import Testing

extension AppleAdapters {
    @Suite("Keys in the Secure Enclave and the Keychain")
    struct KeychainKeyStoreTests {
        private let alias: KeyAlias
        private let message = Array("message".utf8)

        init() throws {
            AppleAdapters.resetDevice()
            alias = try KeyAlias("key")
        }

        @Test func `the suite of all stores, in the enclave`() async throws {
            try await KeyStoreBehaviour(
                KeychainKeyStore(policy: .requireSecureEnclave),
                protection: .hardwareBound,
                algorithms: []
            ) { KeychainKeyStore(policy: .requireSecureEnclave) }
            .check()
            #expect(FakeKeychain.items.isEmpty)
        }

        @Test func `the suite of all stores, in software`() async throws {
            try await KeyStoreBehaviour(
                KeychainKeyStore(policy: .softwareOnly),
                protection: .osProtected,
                algorithms: []
            ) { KeychainKeyStore(policy: .softwareOnly) }
            .check()
            #expect(FakeSecureEnclave.creations.isEmpty)
        }

        @Test(arguments: [
            (KeychainAccessibility.afterFirstUnlockThisDeviceOnly, "cku"), (.whenUnlockedThisDeviceOnly, "aku"),
            (.whenPasscodeSetThisDeviceOnly, "akpu"),
        ])
        func `trap 58: keys stay on the device, and are there when the app works in the background`(
            accessibility: KeychainAccessibility,
            attribute: String
        ) async throws {
            let store = KeychainKeyStore(accessGroup: "TEAM.shared", accessibility: accessibility)
            _ = try await store.loadOrGenerate(alias: alias)
            let attributes = try #require(FakeKeychain.items.first?.attributes)
            #expect(attributes[kSecAttrAccessible] == attribute)
            #expect(attributes[kSecAttrSynchronizable] == "false")
            #expect(attributes[kSecUseDataProtectionKeychain] == "true")
            #expect(attributes[kSecAttrAccessGroup] == "TEAM.shared")
            #expect(FakeSecureEnclave.creations.map(\.protection) == [attribute])
            #expect(FakeSecureEnclave.creations.map(\.flags) == [.privateKeyUsage])
            AppleAdapters.resetDevice()
            _ = try await KeychainKeyStore().loadOrGenerate(alias: alias)
            #expect(FakeKeychain.items.first?.attributes[kSecAttrAccessible] == "cku")
        }

        @Test func `a backup on another device has no key, and that is no error`() async throws {
            for policy in [SecureEnclavePolicy.preferSecureEnclave, .softwareOnly] {
                AppleAdapters.resetDevice()
                let store = KeychainKeyStore(policy: policy)
                _ = try await store.loadOrGenerate(alias: alias)
                FakeKeychain.restoreToAnotherDevice()
                FakeSecureEnclave.moveToAnotherDevice()
                #expect(try await store.load(alias) == nil)
            }
        }

        @Test func `a key of another enclave is lost, and stays so until somebody deletes it`() async throws {
            let store = KeychainKeyStore()
            let key = try await store.loadOrGenerate(alias: alias)
            FakeSecureEnclave.moveToAnotherDevice()
            #expect(await code { _ = try await store.load(alias) } == .keyLost)
            #expect(await code { _ = try await store.loadOrGenerate(alias: alias) } == .keyLost)
            #expect(await code { _ = try await store.facts(about: alias) } == .keyLost)
            #expect(try await store.aliases() == [alias])
            try await store.delete(alias)
            #expect(try await store.loadOrGenerate(alias: alias).publicKey != key.publicKey)
        }

        @Test(arguments: [SecureEnclavePolicy.requireSecureEnclave, .softwareOnly])
        func `an item that is changed or cut off is never another key`(policy: SecureEnclavePolicy) async throws {
            let store = KeychainKeyStore(policy: policy)
            let key = try await store.loadOrGenerate(alias: alias)
            let whole = try #require(FakeKeychain.items.first?.data)
            for index in whole.indices {
                FakeKeychain.change { $0[index] ^= 0x10 }
                let failure = await code { _ = try await store.load(alias) }
                #expect(failure == (index == 0 ? .malformedKeyFile : .keyLost), "byte \(index)")
                FakeKeychain.change { $0 = whole }
            }
            for count in [0, 1, 2, 3, 34, 35, 36, whole.count - 1] {
                FakeKeychain.change { $0 = whole.prefix(count) }
                #expect(await code { _ = try await store.loadOrGenerate(alias: alias) } != nil, "\(count) bytes")
            }
            FakeKeychain.change { $0 = whole + Data(count: 5000) }
            #expect(await code { _ = try await store.load(alias) } == .keyLost)
            FakeKeychain.change { $0 = whole }
            #expect(try await store.load(alias)?.publicKey == key.publicKey)
        }

        @Test func `one enclave key in the place of another is lost`() async throws {
            let store = KeychainKeyStore()
            _ = try await store.loadOrGenerate(alias: alias)
            let first = try #require(FakeKeychain.items.first?.data)
            try await store.delete(alias)
            _ = try await store.loadOrGenerate(alias: alias)
            FakeKeychain.change { $0 = $0.prefix(35) + first.dropFirst(35) }
            #expect(await code { _ = try await store.load(alias) } == .keyLost)
        }

        @Test(arguments: [
            (FakeKeychain.Lock.beforeFirstUnlock, KeychainAccessibility.afterFirstUnlockThisDeviceOnly),
            (.locked, .whenUnlockedThisDeviceOnly),
        ])
        func `trap 60: a locked device is not one without a key`(
            lock: FakeKeychain.Lock,
            accessibility: KeychainAccessibility
        ) async throws {
            let store = KeychainKeyStore(accessibility: accessibility)
            let key = try await store.loadOrGenerate(alias: alias)
            FakeKeychain.setLock(lock)
            #expect(await code { _ = try await store.load(alias) } == .deviceLocked)
            #expect(await code { _ = try await store.loadOrGenerate(alias: alias) } == .deviceLocked)
            #expect(await code { _ = try await store.aliases() } == .deviceLocked)
            FakeKeychain.setLock(.unlocked)
            #expect(try await store.loadOrGenerate(alias: alias).publicKey == key.publicKey)
        }

        @Test func `trap 60: nothing is made in software because the device is locked`() async throws {
            let reports = Noted(0)
            let store = KeychainKeyStore { _, _ in reports.change { $0 += 1 } }
            let locked = NSError(domain: NSOSStatusErrorDomain, code: Int(errSecInteractionNotAllowed))
            FakeSecureEnclave.fail(.create, locked)
            #expect(await code { _ = try await store.loadOrGenerate(alias: alias) } == .deviceLocked)
            FakeSecureEnclave.fail(.create, nil)
            FakeKeychain.setLock(.beforeFirstUnlock)
            #expect(await code { _ = try await store.loadOrGenerate(alias: alias) } == .deviceLocked)
            #expect(FakeKeychain.items.isEmpty)
            #expect(reports.value == 0)
        }

        @Test func `a stored key whose enclave may not ask now is locked, not lost`() async throws {
            let store = KeychainKeyStore()
            let key = try await store.loadOrGenerate(alias: alias)
            FakeSecureEnclave.fail(.open, LAError(.notInteractive))
            #expect(await code { _ = try await store.load(alias) } == .deviceLocked)
            #expect(await code { _ = try await key.sign(message) } == .deviceLocked)
            FakeSecureEnclave.fail(.open, nil)
            #expect(try await store.load(alias)?.publicKey == key.publicKey)
        }

        @Test func `trap 61: of many that make a key at once, one does, and all get it`() async throws {
            let stores = (0..<4).map { _ in KeychainKeyStore() }
            for round in 0..<20 {
                let alias = try KeyAlias("race-\(round)")
                let keys = try await withThrowingTaskGroup(of: JWKThumbprint.self) { group in
                    for index in 0..<16 {
                        group.addTask {
                            let key = try await stores[index % 4].loadOrGenerate(alias: alias)
                            let signature = try await key.sign([1, 2, 3])
                            #expect(key.publicKey.isValidSignature(signature, for: [1, 2, 3], algorithm: .es256))
                            return key.publicKey.thumbprint
                        }
                    }
                    return try await group.reduce(into: Set<JWKThumbprint>()) { $0.insert($1) }
                }
                #expect(keys.count == 1)
            }
        }

        @Test func `trap 61: the key of the process that comes first is the key, wherever that one made it`()
            async throws
        {
            let reports = Noted(0)
            let store = KeychainKeyStore { _, _ in reports.change { $0 += 1 } }
            FakeSecureEnclave.fail(.create, CryptoKitError.underlyingCoreCryptoError(error: -3))
            // The other process has a working enclave, and stores its key between our look and our write.
            let other = KeychainKeyStore()
            let winner = Noted<JWKThumbprint?>(nil)
            FakeKeychain.beforeNextAdd {
                FakeSecureEnclave.fail(.create, nil)
                let done = DispatchSemaphore(value: 0)
                Task.detached {
                    let key = try? await other.loadOrGenerate(alias: KeyAlias("key"))
                    winner.change { $0 = key?.publicKey.thumbprint }
                    done.signal()
                }
                done.wait()
            }
            let key = try await store.loadOrGenerate(alias: alias)
            #expect(key.protection == .hardwareBound)
            #expect(key.publicKey.thumbprint == winner.value)
            // Nobody uses the key that was made in software.
            #expect(reports.value == 0)
        }

        @Test func `trap 62: without an enclave a key is made in software, said so, and never moved`() async throws {
            let reports = Noted<[String]>([])
            let store = KeychainKeyStore { alias, reason in reports.change { $0.append("\(alias) \(reason.code)") } }
            FakeSecureEnclave.setAvailable(false)
            let key = try await store.loadOrGenerate(alias: alias)
            #expect(key.protection == .osProtected)
            #expect(reports.value == ["key deviceUnavailable"])
            FakeSecureEnclave.setAvailable(true)
            #expect(try await store.loadOrGenerate(alias: alias).publicKey == key.publicKey)
            #expect(try await store.load(alias)?.protection == .osProtected)
            #expect(FakeSecureEnclave.creations.isEmpty)
            #expect(reports.value.count == 1)
        }

        @Test func `trap 62: an enclave that makes no key though it is there is one that is not`() async throws {
            let reports = Noted<[KeyStoreError.Code]>([])
            let store = KeychainKeyStore { _, reason in reports.change { $0.append(reason.code) } }
            FakeSecureEnclave.fail(.create, CryptoKitError.underlyingCoreCryptoError(error: -25293))
            #expect(try await store.loadOrGenerate(alias: alias).protection == .osProtected)
            #expect(reports.value == [.deviceFailed])
        }

        @Test func `trap 62: an enclave that is away for a while is no reason for another key`() async throws {
            let store = KeychainKeyStore()
            let key = try await store.loadOrGenerate(alias: alias)
            FakeSecureEnclave.setAvailable(false)
            #expect(await code { _ = try await store.loadOrGenerate(alias: alias) } == .deviceUnavailable)
            #expect(await code { _ = try await store.load(alias) } == .deviceUnavailable)
            #expect(await code { _ = try await key.sign(message) } == .deviceUnavailable)
            FakeSecureEnclave.setAvailable(true)
            FakeSecureEnclave.fail(.sign, CryptoKitError.underlyingCoreCryptoError(error: -3))
            #expect(await code { _ = try await key.sign(message) } == .deviceFailed)
            FakeSecureEnclave.fail(.sign, nil)
            let signature = try await key.sign(message)
            #expect(signature.count == 64)
            #expect(key.publicKey.isValidSignature(signature, for: message, algorithm: .es256))
            #expect(try await store.loadOrGenerate(alias: alias).publicKey == key.publicKey)
        }

        @Test func `who requires the enclave gets a key there or none`() async throws {
            let store = KeychainKeyStore(policy: .requireSecureEnclave) { _, _ in Issue.record("fell back") }
            FakeSecureEnclave.setAvailable(false)
            #expect(await code { _ = try await store.loadOrGenerate(alias: alias) } == .hardwareRequired)
            FakeSecureEnclave.setAvailable(true)
            FakeSecureEnclave.fail(.create, CryptoKitError.authenticationFailure)
            #expect(await code { _ = try await store.loadOrGenerate(alias: alias) } == .hardwareRequired)
            #expect(FakeKeychain.items.isEmpty)
            // Nor a key that was made in software earlier, which only a new sign-in replaces.
            _ = try await KeychainKeyStore(policy: .softwareOnly).loadOrGenerate(alias: alias)
            #expect(await code { _ = try await store.load(alias) } == .hardwareRequired)
            #expect(await code { _ = try await store.loadOrGenerate(alias: alias) } == .hardwareRequired)
            try await store.delete(alias)
            FakeSecureEnclave.fail(.create, nil)
            #expect(try await store.loadOrGenerate(alias: alias).protection == .hardwareBound)
        }

        @Test func `an enclave key is used by who would make keys in software`() async throws {
            let key = try await KeychainKeyStore().loadOrGenerate(alias: alias)
            let loaded = try await KeychainKeyStore(policy: .softwareOnly).loadOrGenerate(alias: alias)
            #expect(loaded.publicKey == key.publicKey)
            #expect(loaded.protection == .hardwareBound)
        }

        @Test func `trap 63: a program without entitlements is told so`() async throws {
            let store = KeychainKeyStore { _, _ in Issue.record("fell back") }
            FakeKeychain.setGroups([])
            #expect(await code { _ = try await store.loadOrGenerate(alias: alias) } == .missingEntitlement)
            #expect(await code { _ = try await store.load(alias) } == .missingEntitlement)
            #expect(await code { _ = try await store.aliases() } == .missingEntitlement)
            #expect(await code { try await store.delete(alias) } == .missingEntitlement)
            FakeKeychain.setGroups(["TEAM.app"])
            let shared = KeychainKeyStore(accessGroup: "TEAM.shared")
            #expect(await code { _ = try await shared.loadOrGenerate(alias: alias) } == .missingEntitlement)
        }

        @Test func `services and access groups are apart`() async throws {
            let stores = [
                KeychainKeyStore(), KeychainKeyStore(service: "other"), KeychainKeyStore(accessGroup: "TEAM.shared"),
            ]
            // The last one first: without a group, all groups are searched.
            let shared = try await stores[2].loadOrGenerate(alias: alias).publicKey
            #expect(try await stores[0].load(alias)?.publicKey == shared)
            #expect(try await stores[1].load(alias) == nil)
            #expect(try await stores[1].loadOrGenerate(alias: alias).publicKey != shared)
        }

        @Test func `nothing blocks the threads of tasks, and no key stays open`() async throws {
            let store = KeychainKeyStore()
            let key = try await store.loadOrGenerate(alias: alias)
            for _ in 0..<3 { _ = try await key.sign(message) }
            _ = try await (store.load(alias), store.aliases(), store.facts(about: alias))
            #expect(FakeSecureEnclave.openKeys == 0)
            try await store.delete(alias)
            #expect(FakeKeychain.callsInTasks == 0)
            #expect(FakeSecureEnclave.callsInTasks == 0)
        }

        @Test func `statuses that nobody expects are failures of the place`() async throws {
            let store = KeychainKeyStore()
            for operation in [FakeKeychain.Operation.copy, .add] {
                FakeKeychain.fail(operation, -50)
                #expect(await code { _ = try await store.loadOrGenerate(alias: alias) } == .storageFailed)
                FakeKeychain.fail(operation, errSecUserCanceled)
                #expect(await code { _ = try await store.loadOrGenerate(alias: alias) } == .userCanceled)
                FakeKeychain.fail(operation, nil)
            }
            FakeKeychain.fail(.copy, errSecDecode)
            #expect(await code { _ = try await store.load(alias) } == .keyLost)
            FakeKeychain.fail(.copy, nil)
            FakeKeychain.fail(.delete, -50)
            #expect(await code { try await store.delete(alias) } == .storageFailed)
        }

        @Test func `facts say what was asked of the Keychain`() async throws {
            let store = KeychainKeyStore(accessGroup: "TEAM.shared", approval: .userPresence(reason: "to pay"))
            _ = try await store.loadOrGenerate(alias: alias)
            #expect(
                try await store.facts(about: alias)?.dropFirst(3).map(\.description) == [
                    "place: Secure Enclave", "accessibility: after first unlock, this device only",
                    "access group: TEAM.shared", "approval: presence of the person",
                ]
            )
        }
    }
}
