// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import Security
import SigningKeys
import Testing

extension AppleAdapters {
    @Suite("Tokens in the Keychain")
    final class KeychainTokenStoreTests: Sendable {
        private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        private let account = ClientAccount(issuer: "https://auth.example", clientID: "my-app")
        private var store: KeychainTokenStore { KeychainTokenStore(directory: directory, accessGroup: "TEAM.shared") }

        init() {
            AppleAdapters.resetDevice()
        }

        deinit {
            try? FileManager.default.removeItem(atPath: directory)
        }

        private func tokens(_ name: String) throws -> TokenSet {
            TokenSet(
                accessToken: AccessToken("access-" + name),
                tokenType: .dpop,
                expiresAt: Timestamp(secondsSince1970: 1_790_000_000),
                refreshToken: RefreshToken("refresh-" + name),
                scope: try Scope(["api:read"]),
                keyThumbprint: try JWKThumbprint("0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
            )
        }

        private func failure(_ body: () async throws -> Void) async -> (OAuthClientError.Code, KeyStoreError.Code?)? {
            do {
                try await body()
                return nil
            } catch {
                guard let error = error as? OAuthClientError else { return nil }
                return (error.code, (error.underlying as? KeyStoreError)?.code)
            }
        }

        @Test func `trap 58: keeps, replaces and deletes, on this device and in the group`() async throws {
            #expect(try await store.tokens(of: account) == nil)
            for name in ["one", "two"] {
                try await store.save(tokens(name), of: account)
                #expect(try await store.tokens(of: account) == tokens(name))
            }
            let attributes = try #require(FakeKeychain.items.first?.attributes)
            #expect(attributes[kSecAttrAccessible] == "cku")
            #expect(attributes[kSecAttrAccessGroup] == "TEAM.shared")
            #expect(attributes[kSecAttrSynchronizable] == "false")
            // An item that is deleted and added could be lost between the two.
            #expect(!FakeKeychain.operations.contains(.delete))
            try await store.deleteTokens(of: account)
            try await store.deleteTokens(of: account)
            #expect(try await store.tokens(of: account) == nil)
            #expect(FakeKeychain.callsInTasks == 0)
        }

        @Test func `accounts are kept apart`() async throws {
            let other = ClientAccount(issuer: "https://auth.example", clientID: "my-app", name: "work")
            try await store.save(tokens("one"), of: account)
            #expect(try await store.tokens(of: other) == nil)
            try await store.save(tokens("two"), of: other)
            try await store.deleteTokens(of: other)
            #expect(try await store.tokens(of: account) == tokens("one"))
        }

        @Test func `trap 59: tokens of an installation that was removed are deleted, not used`() async throws {
            try await store.save(tokens("old"), of: account)
            try FileManager.default.removeItem(atPath: directory)
            #expect(FakeKeychain.items.count == 1)
            #expect(try await store.tokens(of: account) == nil)
            #expect(FakeKeychain.items.isEmpty)
            try await store.save(tokens("new"), of: account)
            // Another process of the new installation.
            let other = KeychainTokenStore(directory: directory, accessGroup: "TEAM.shared")
            #expect(try await other.tokens(of: account) == tokens("new"))
        }

        @Test func `trap 59: a mark that cannot be read is no reason to delete`() async throws {
            try await store.save(tokens("one"), of: account)
            let file = directory + "/installation"
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
            #expect(await failure { _ = try await store.tokens(of: account) }?.0 == .storageFailed)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            #expect(try await store.tokens(of: account) == tokens("one"))
        }

        @Test func `trap 60: tokens of a locked device are there`() async throws {
            try await store.save(tokens("one"), of: account)
            FakeKeychain.setLock(.beforeFirstUnlock)
            let locked = await failure { _ = try await store.tokens(of: account) }
            #expect(locked?.0 == .storageFailed)
            #expect(locked?.1 == .deviceLocked)
            #expect(await failure { try await store.save(tokens("two"), of: account) }?.1 == .deviceLocked)
            FakeKeychain.setLock(.unlocked)
            #expect(try await store.tokens(of: account) == tokens("one"))
        }

        @Test func `trap 63: a program without entitlements is told so`() async throws {
            FakeKeychain.setGroups([])
            #expect(await failure { _ = try await store.tokens(of: account) }?.1 == .missingEntitlement)
            #expect(await failure { try await store.save(tokens("one"), of: account) }?.1 == .missingEntitlement)
        }

        @Test func `what cannot be replaced stays, and what is damaged is said`() async throws {
            try await store.save(tokens("one"), of: account)
            FakeKeychain.fail(.update, -50)
            #expect(await failure { try await store.save(tokens("two"), of: account) }?.0 == .storageFailed)
            FakeKeychain.fail(.update, nil)
            #expect(try await store.tokens(of: account) == tokens("one"))
            FakeKeychain.change { $0[$0.startIndex + 20] = 0xFF }
            #expect(await failure { _ = try await store.tokens(of: account) }?.0 == .storageFailed)
        }

        @Test func `tokens that are too long are refused`() async throws {
            let long = TokenSet(
                accessToken: AccessToken(String(repeating: "a", count: 140_000)),
                tokenType: .dpop,
                expiresAt: nil,
                refreshToken: nil,
                scope: try Scope(["api:read"]),
                keyThumbprint: try JWKThumbprint("0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
            )
            #expect(await failure { try await store.save(long, of: account) }?.0 == .storageFailed)
        }

        @Test func `app and extension refresh one after the other`() async throws {
            let stores = [store, store]
            let running = Noted(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<8 {
                    group.addTask { [account] in
                        try await stores[index % 2].withRefreshLock(on: account) { () async throws -> Void in
                            #expect(
                                running.change {
                                    $0 += 1
                                    return $0
                                } == 1
                            )
                            try await Task.sleep(for: .milliseconds(2))
                            running.change { $0 -= 1 }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let impatient = KeychainTokenStore(directory: directory, timeout: .milliseconds(20))
            try await store.withRefreshLock(on: account) { [account] () async throws -> Void in
                await #expect(throws: OAuthClientError.self) {
                    try await impatient.withRefreshLock(on: account) { () async throws -> Void in }
                }
            }
        }
    }
}
