// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation
import JOSE
import LocalAuthentication
import Security
import SigningKeys
import Testing

extension AppleAdapters {
    @Suite("Keys that ask the person")
    struct KeyUsePolicyTests {
        private let alias: KeyAlias

        init() throws {
            AppleAdapters.resetDevice()
            alias = try KeyAlias("key")
        }

        private func store(
            _ approval: KeyUsePolicy,
            _ policy: SecureEnclavePolicy = .preferSecureEnclave
        ) -> KeychainKeyStore {
            KeychainKeyStore(policy: policy, approval: approval) { _, _ in Issue.record("fell back") }
        }

        @Test func `the enclave is told what to demand`() async throws {
            _ = try await store(.userPresence(reason: "to pay")).loadOrGenerate(alias: KeyAlias("presence"))
            _ = try await store(.currentBiometry(reason: "to pay")).loadOrGenerate(alias: KeyAlias("biometry"))
            #expect(
                FakeSecureEnclave.creations.map(\.flags) == [
                    [.privateKeyUsage, .userPresence], [.privateKeyUsage, .biometryCurrentSet],
                ]
            )
        }

        @Test func `making and loading a key asks nobody, each signature does`() async throws {
            let store = store(.userPresence(reason: "to pay"))
            let made = try await store.loadOrGenerate(alias: alias)
            let key = try #require(try await store.load(alias))
            #expect(FakePerson.reasons == [])
            for _ in 0..<2 { _ = try await key.sign([1]) }
            _ = try await made.sign([1])
            #expect(FakePerson.reasons == ["to pay", "to pay", "to pay"])
        }

        @Test func `an answer counts for as long as it may`() async throws {
            let store = store(.currentBiometry(reason: "to pay", lasting: .seconds(3600)))
            let key = try await store.loadOrGenerate(alias: alias)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = try await key.sign([1]) } }
                try await group.waitForAll()
            }
            #expect(FakePerson.reasons == ["to pay"])
            let short = try await self.store(.userPresence(reason: "again", lasting: .nanoseconds(1)))
                .loadOrGenerate(alias: KeyAlias("short"))
            for _ in 0..<2 { _ = try await short.sign([1]) }
            #expect(FakePerson.reasons == ["to pay", "again", "again"])
        }

        @Test(arguments: [LAError.Code.userCancel, .appCancel, .systemCancel, .authenticationFailed])
        func `a person who does not agree is no failure of the key`(refusal: LAError.Code) async throws {
            let key = try await store(.userPresence(reason: "to pay", lasting: .seconds(60))).loadOrGenerate(
                alias: alias
            )
            FakePerson.refuse(refusal)
            #expect(await code { _ = try await key.sign([1]) } == .userCanceled)
            FakePerson.refuse(nil)
            let signature = try await key.sign([1])
            #expect(key.publicKey.isValidSignature(signature, for: [1], algorithm: .es256))
        }

        @Test func `a refusal that Security words is one too`() async throws {
            let key = try await store(.userPresence(reason: "to pay")).loadOrGenerate(alias: alias)
            FakeSecureEnclave.fail(.sign, NSError(domain: NSOSStatusErrorDomain, code: Int(errSecUserCanceled)))
            #expect(await code { _ = try await key.sign([1]) } == .userCanceled)
            FakeSecureEnclave.fail(.sign, NSError(domain: "another", code: Int(errSecUserCanceled)))
            #expect(await code { _ = try await key.sign([1]) } == .deviceFailed)
        }

        @Test func `a key that must ask is never made where it cannot`() async throws {
            let approval = KeyUsePolicy.userPresence(reason: "to pay")
            #expect(
                await code { _ = try await store(approval, .softwareOnly).loadOrGenerate(alias: alias) }
                    == .hardwareRequired
            )
            FakeSecureEnclave.setAvailable(false)
            #expect(await code { _ = try await store(approval).loadOrGenerate(alias: alias) } == .hardwareRequired)
            #expect(FakeKeychain.items.isEmpty)
        }

        @Test func `a key goes on as it was made, whatever the store is told later`() async throws {
            _ = try await store(.userPresence(reason: "to pay")).loadOrGenerate(alias: alias)
            let key = try #require(try await store(.none).load(alias))
            _ = try await key.sign([1])
            #expect(FakePerson.reasons == [""])
            let silent = try await store(.none).loadOrGenerate(alias: KeyAlias("silent"))
            _ = try await store(.userPresence(reason: "to pay")).load(KeyAlias("silent"))?.sign([1])
            _ = try await silent.sign([1])
            #expect(FakePerson.reasons == [""])
        }
    }
}
