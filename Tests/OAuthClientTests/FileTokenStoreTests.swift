// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
import OAuthCore
import OAuthSystem
import Testing

@testable import OAuthClient

@Suite("Tokens in files", .timeLimit(.minutes(2)))
final class FileTokenStoreTests: Sendable {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    private let account = ClientAccount(issuer: "https://auth.example", clientID: "my-app")
    /// Waits for locks: a program that another test starts has their descriptors for a moment, until it runs.
    private var store: FileTokenStore { FileTokenStore(directory: directory) }
    /// For locks that are held.
    private var impatientStore: FileTokenStore { FileTokenStore(directory: directory, timeout: .milliseconds(50)) }
    private var accountDirectory: String { directory + "/" + account.identifier }
    private var tokenFile: String { accountDirectory + "/tokens.json" }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func tokens(_ name: String, lifetime: Int64 = 300) throws -> TokenSet {
        TokenSet(
            accessToken: AccessToken("access-" + name),
            tokenType: .dpop,
            expiresAt: Timestamp(secondsSince1970: 1_790_000_000 + lifetime),
            refreshToken: RefreshToken("refresh-" + name),
            scope: try Scope(["api:read"]),
            keyThumbprint: try JWKThumbprint("0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        )
    }

    /// Leaves files with tokens, as processes do that are killed while they write: one of this version, one of an earlier.
    private func leaveHalfWritten(in directory: String) throws {
        for name in [".tokens.json.new-a1B2c3", "tokens.json.a1B2c3"] {
            try Data("{}".utf8).write(to: URL(filePath: directory + "/" + name))
        }
    }

    private func files(in directory: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: directory))
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `keeps, replaces and deletes, readable by the user alone`() async throws {
        #expect(try await store.tokens(of: account) == nil)
        for name in ["one", "two"] {
            try await store.save(tokens(name), of: account)
            #expect(try await store.tokens(of: account) == tokens(name))
        }
        #expect(try mode(directory) == 0o700)
        #expect(try mode(accountDirectory) == 0o700)
        #expect(try mode(tokenFile) == 0o600)
        #expect(try files(in: accountDirectory) == ["tokens.json", "write-lock"])
        try await store.deleteTokens(of: account)
        try await store.deleteTokens(of: account)
        #expect(try await store.tokens(of: account) == nil)
    }

    @Test func `a change is one step, also between stores of several processes`() async throws {
        try await store.save(tokens("0"), of: account)
        let stores = (0..<4).map { _ in FileTokenStore(directory: directory) }
        let account = account
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask {
                    try await stores[index % 4].updateTokens(of: account) { stored in
                        let count = Int(stored?.refreshToken?.value ?? "") ?? 0
                        return stored?.with(RefreshToken("\(count + 1)"))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.tokens(of: account)?.refreshToken?.value == "40")
        // It waits for no refresh.
        try await store.withRefreshLock(on: account) {
            try await store.updateTokens(of: account) { _ in nil }
        }
        #expect(try await store.tokens(of: account) == nil)
    }

    @Test func `who keeps the lock of a change keeps no tokens alive`() async throws {
        try await store.save(tokens("one"), of: account)
        let held = try await FileLock(accountDirectory + "/write-lock", timeout: .seconds(60))
        #expect(await clientError { try await impatientStore.updateTokens(of: account) { $0 } }?.code == .storageFailed)
        #expect(await clientError { try await impatientStore.save(tokens("two"), of: account) }?.code == .storageFailed)
        // It may be writing this file.
        try leaveHalfWritten(in: accountDirectory)
        try await impatientStore.deleteTokens(of: account)
        #expect(try await store.tokens(of: account) == nil)
        #expect(try files(in: accountDirectory) == [".tokens.json.new-a1B2c3", "tokens.json.a1B2c3", "write-lock"])
        withExtendedLifetime(held) {}
    }

    @Test func `what a killed process was writing is deleted with each change, and no other file is`() async throws {
        try await store.save(tokens("one"), of: account)
        for name in [
            "tokens.json.copy", ".tokens.json.new-a1B2c", ".tokens.json.new-a1B2-3", ".keys.json.new-a1B2c3",
            "keys.json.a1B2c3",
        ] {
            try Data("{}".utf8).write(to: URL(filePath: accountDirectory + "/" + name))
        }
        let others = try files(in: accountDirectory)
        try leaveHalfWritten(in: accountDirectory)
        try await store.save(tokens("two"), of: account)
        #expect(try files(in: accountDirectory) == others)
        try leaveHalfWritten(in: accountDirectory)
        try await store.updateTokens(of: account) { $0 }
        #expect(try files(in: accountDirectory) == others)
        try leaveHalfWritten(in: accountDirectory)
        try await store.deleteTokens(of: account)
        #expect(try files(in: accountDirectory) == others.subtracting(["tokens.json"]))
    }

    @Test func `a sign-out leaves no tokens of a killed process`() async throws {
        let fixture = try SignInFixture(tokenStore: FileTokenStore(directory: directory))
        let session = try await fixture.session()
        let accountDirectory = directory + "/" + fixture.client.account.identifier
        try leaveHalfWritten(in: accountDirectory)
        _ = await session.signOut()
        #expect(try files(in: accountDirectory).filter { $0.hasPrefix("tokens.json") } == [])
    }

    @Test func `accounts are kept apart`() async throws {
        let other = ClientAccount(issuer: "https://auth.example", clientID: "my-app", name: "work")
        try await store.save(tokens("one"), of: account)
        #expect(try await store.tokens(of: other) == nil)
        try await store.deleteTokens(of: other)
        #expect(try await store.tokens(of: account) != nil)
    }

    @Test(arguments: [0o640, 0o604, 0o660]) func `a file that others can read or write is rejected`(
        _ mode: Int
    ) async throws {
        try await store.save(tokens("one"), of: account)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: tokenFile)
        let error = await clientError { _ = try await store.tokens(of: account) }
        #expect(error?.code == .storageFailed)
    }

    @Test func `a directory that others can enter, a link and a pipe are rejected`() async throws {
        try await store.save(tokens("one"), of: account)
        let moved = accountDirectory + "/moved"
        try FileManager.default.moveItem(atPath: tokenFile, toPath: moved)
        try FileManager.default.createSymbolicLink(atPath: tokenFile, withDestinationPath: moved)
        #expect(await clientError { _ = try await store.tokens(of: account) }?.code == .storageFailed)
        try FileManager.default.removeItem(atPath: tokenFile)
        #expect(unsafe mkfifo(tokenFile, 0o600) == 0)
        #expect(await clientError { _ = try await store.tokens(of: account) }?.code == .storageFailed)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: accountDirectory)
        #expect(await clientError { try await store.save(tokens("two"), of: account) }?.code == .storageFailed)
    }

    @Test(arguments: ["", "{}", "[1]", "{\"access_token\":\"a\"}", String(repeating: "x", count: 200_000)])
    func `what is not a set of tokens is an error, not a session that ended`(_ content: String) async throws {
        try await store.save(tokens("one"), of: account)
        let file = try #require(FileHandle(forWritingAtPath: tokenFile))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(content.utf8))
        #expect(await clientError { _ = try await store.tokens(of: account) }?.code == .storageFailed)
    }

    @Test func `trap 51: tokens that cannot be written leave the old ones`() async throws {
        try await store.save(tokens("one"), of: account)
        let nowhere = FileTokenStore(directory: directory + "/missing/deeper")
        #expect(await clientError { try await nowhere.save(tokens("two"), of: account) }?.code == .storageFailed)
        #expect(throws: FileError.self) { try PrivateFile.replace(accountDirectory, with: [1]) }
        #expect(try await store.tokens(of: account) == tokens("one"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [account.identifier])
    }

    @Test func `trap 50: one at a time has the lock, and who waits for too long is told`() async throws {
        let gate = Gate()
        let (store, account) = (store, account)
        let first = Task { try await store.withRefreshLock(on: account) { await gate.pass() } }
        try await gate.arrival()
        let error = await clientError { try await impatientStore.withRefreshLock(on: account) {} }
        #expect(error?.code == .storageFailed)
        let other = ClientAccount(issuer: "https://auth.example", clientID: "my-app", name: "work")
        try await store.withRefreshLock(on: other) {}
        await gate.open()
        try await first.value
        try await store.withRefreshLock(on: account) {}
    }

    @Test func `trap 50: a lock file that is deleted meanwhile is no lock`() async throws {
        try await store.withRefreshLock(on: account) {}
        let path = accountDirectory + "/lock"
        let held = try await FileLock(path, timeout: .seconds(60))
        try FileManager.default.removeItem(atPath: path)
        // A new file is a new lock; callers that waited for the old one must wait for this one too.
        let renewed = try await FileLock(path, timeout: .zero)
        #expect(await clientError { _ = try await FileWork.lock(path, timeout: .zero) }?.code == .storageFailed)
        withExtendedLifetime((held, renewed)) {}
    }

    @Test func `trap 50: what fails under the lock is told as it is, and the lock is free again`() async throws {
        struct Fault: Error {}
        await #expect(throws: Fault.self) { try await store.withRefreshLock(on: account) { throw Fault() } }
        try await store.withRefreshLock(on: account) {}
    }

    @Test func `trap 50: sessions of two processes that refresh together make one request`() async throws {
        let fixture = try SignInFixture(tokenStore: FileTokenStore(directory: directory))
        let first = try await fixture.session()
        let other = try SignInFixture(
            tokenStore: FileTokenStore(directory: directory),
            keyStore: fixture.keyStore,
            server: fixture.server,
            seed: 2
        )
        let second = try #require(try await other.client.restoreSession())
        let gate = Gate()
        await fixture.server.change { $0.beforeRefresh = { await gate.pass() } }
        async let one = first.tokenManager.refresh()
        try await gate.arrival()
        async let another = second.tokenManager.refresh()
        // Time for a second request, which must not be sent.
        try await Task.sleep(for: .milliseconds(100))
        await gate.open()
        let (mine, yours) = try await (one, another)
        #expect(mine == yours)
        #expect(await fixture.server.refreshes == 1)
        #expect(await fixture.server.violations == [])
    }
}
