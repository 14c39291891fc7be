// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
import OAuthCore
import OAuthSystem
import PKCE
import SigningKeys
import TestSupport
import Testing

@testable import OAuthClient

@Suite("Sign-ins in files")
final class FileTransactionStoreTests: Sendable {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    private let now = Timestamp(secondsSince1970: 1_790_000_000)
    private var store: FileTransactionStore { FileTransactionStore(directory: directory) }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func transaction(_ state: String, lifetime: Int64 = 600) throws -> SignInTransaction {
        SignInTransaction(
            state: state,
            codeVerifier: try CodeVerifier(String(repeating: "v", count: 43)),
            account: ClientAccount(issuer: "https://auth.example", clientID: "my-app"),
            redirectURI: "com.example.app:/callback",
            scope: try Scope(["a"]),
            keyThumbprint: try JWKThumbprint("0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"),
            expectsIssuer: true,
            expiresAt: Timestamp(secondsSince1970: 1_790_000_000 + lifetime)
        )
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0 != "lock" }.sorted()
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `trap 4: what was kept is given out once, readable by the user alone meanwhile`() async throws {
        try await store.insert(transaction("one"), now: now)
        try await store.insert(transaction("two"), now: now)
        let names = try files()
        #expect(names.count == 2)
        #expect(try mode(directory) == 0o700)
        for name in names + ["lock"] { #expect(try mode(directory + "/" + name) == 0o600) }
        // No part of the state is in a name: the state comes through the browser.
        #expect(names.allSatisfy { $0.utf8.count == 43 + 5 && !$0.contains("one") })
        #expect(try await store.holds(state: "one"))
        #expect(try await store.take(state: "one", now: now) == transaction("one"))
        #expect(try await store.take(state: "one", now: now) == nil)
        #expect(try await !store.holds(state: "one"))
        #expect(try await store.take(state: "two", now: now) == transaction("two"))
        #expect(try files() == [])
    }

    @Test func `a state that looks like a path is a state`() async throws {
        try await store.insert(transaction("one"), now: now)
        for state in ["../tokens", "/etc/passwd", "", ".", "one\0", String(repeating: "x", count: 8000)] {
            #expect(try await store.take(state: state, now: now) == nil)
        }
        try await store.insert(transaction("../../x"), now: now)
        #expect(try files().count == 2)
        #expect(try await store.take(state: "../../x", now: now) != nil)
    }

    @Test func `trap 4: what has expired is not given out, and deleted`() async throws {
        try await store.insert(transaction("one"), now: now)
        #expect(try await store.take(state: "one", now: now + .seconds(600)) == nil)
        #expect(try files() == [])
        try await store.insert(transaction("two", lifetime: 10), now: now)
        try await store.insert(transaction("three"), now: now + .seconds(10))
        #expect(try files().count == 1)
        #expect(try await store.take(state: "three", now: now) != nil)
    }

    @Test func `the oldest is dropped when there are too many`() async throws {
        let store = FileTransactionStore(directory: directory, capacity: 2)
        for (index, state) in ["b", "a", "c"].enumerated() {
            try await store.insert(transaction(state, lifetime: 600 + Int64(index)), now: now)
        }
        #expect(try await store.take(state: "b", now: now) == nil)
        #expect(try await store.take(state: "a", now: now) != nil)
        #expect(try await store.take(state: "c", now: now) != nil)
    }

    @Test(arguments: ["", "{}", "[1]", "{\"state\":\"one\"}", "\u{0}", String(repeating: "x", count: 60_000)])
    func `a damaged file is an error for its own sign-in only`(_ content: String) async throws {
        try await store.insert(transaction("one"), now: now)
        let name = try #require(try files().first)
        try await store.insert(transaction("two"), now: now)
        try Data(content.utf8).write(to: URL(filePath: directory + "/" + name))
        let error = await clientError { _ = try await store.take(state: "one", now: now) }
        #expect(error?.code == .storageFailed)
        #expect(try await store.take(state: "two", now: now) != nil)
        // The next sign-in succeeds, and deletes the file.
        try await store.insert(transaction("three"), now: now)
        #expect(try files().count == 1)
        #expect(try await store.take(state: "three", now: now) != nil)
    }

    @Test func `a file that is too long is rejected, and one that cannot be read now is not deleted`() async throws {
        try await store.insert(transaction("one"), now: now)
        let path = directory + "/" + (try #require(try files().first))
        let content = try Data(contentsOf: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        try await store.insert(transaction("two"), now: now)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(try Data(contentsOf: URL(filePath: path)) == content)
        try Data(repeating: 0x20, count: 65_537).write(to: URL(filePath: path))
        #expect(await clientError { _ = try await store.take(state: "one", now: now) }?.code == .storageFailed)
        #expect(try await store.take(state: "two", now: now) != nil)
    }

    @Test func `the file of one sign-in in the place of another one is rejected`() async throws {
        try await store.insert(transaction("one"), now: now)
        let name = try #require(try files().first)
        let content = try Data(contentsOf: URL(filePath: directory + "/" + name))
        try await store.insert(transaction("two"), now: now)
        let other = try #require(try files().first { $0 != name })
        try content.write(to: URL(filePath: directory + "/" + other))
        #expect(await clientError { _ = try await store.take(state: "two", now: now) }?.code == .storageFailed)
    }

    @Test(arguments: [0o640, 0o604, 0o620]) func `a file that others can read or write is rejected`(
        _ mode: Int
    ) async throws {
        try await store.insert(transaction("one"), now: now)
        let path = directory + "/" + (try #require(try files().first))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        #expect(await clientError { _ = try await store.take(state: "one", now: now) }?.code == .storageFailed)
    }

    @Test func `a link, a pipe and a directory in the place of a file are rejected`() async throws {
        try await store.insert(transaction("one"), now: now)
        let path = directory + "/" + (try #require(try files().first))
        try FileManager.default.moveItem(atPath: path, toPath: directory + "/moved")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory + "/moved")
        #expect(await clientError { _ = try await store.take(state: "one", now: now) }?.code == .storageFailed)
        try FileManager.default.removeItem(atPath: path)
        #expect(unsafe mkfifo(path, 0o600) == 0)
        #expect(await clientError { _ = try await store.take(state: "one", now: now) }?.code == .storageFailed)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(await clientError { _ = try await store.take(state: "one", now: now) }?.code == .storageFailed)
        try await store.insert(transaction("two"), now: now)
        #expect(try await store.take(state: "two", now: now) != nil)
    }

    @Test func `a directory that others can enter, or that cannot be made, is rejected`() async throws {
        try await store.insert(transaction("one"), now: now)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)
        #expect(await clientError { try await store.insert(transaction("two"), now: now) }?.code == .storageFailed)
        let nowhere = FileTransactionStore(directory: directory + "/missing/deeper")
        #expect(await clientError { try await nowhere.insert(transaction("two"), now: now) }?.code == .storageFailed)
        #expect(try await nowhere.take(state: "two", now: now) == nil)
    }

    @Test func `a sign-in of more than 64 KiB is rejected when it is kept`() async throws {
        var scopes: [String] = []
        for index in 0..<9000 { scopes.append("scope-\(index)") }
        let one = try transaction("one")
        let large = SignInTransaction(
            state: "large",
            codeVerifier: one.codeVerifier,
            account: one.account,
            redirectURI: one.redirectURI,
            scope: try Scope(scopes),
            keyThumbprint: one.keyThumbprint,
            expectsIssuer: true,
            expiresAt: one.expiresAt
        )
        #expect(await clientError { try await store.insert(large, now: now) }?.code == .storageFailed)
    }

    @Test func `what a process left half written is deleted, what is not ours stays`() async throws {
        try await store.insert(transaction("one"), now: now)
        let name = try #require(try files().first)
        for stray in ["." + name + ".new-a1b2c3", name + ".a1B2c3", "notes.txt", "notes.json.a1B2c3"] {
            try Data("x".utf8).write(to: URL(filePath: directory + "/" + stray))
        }
        try await store.insert(transaction("two"), now: now)
        #expect(try files().contains("notes.txt"))
        #expect(try files().contains("notes.json.a1B2c3"))
        #expect(try files().count == 4)
    }

    @Test func `trap 5: of many who bring the same answer one gets the sign-in`() async throws {
        for round in 0..<64 {
            let state = "round \(round)"
            try await store.insert(transaction(state), now: now)
            let (stores, now) = ((0..<16).map { _ in store }, now)
            let winners = try await withThrowingTaskGroup(of: Int.self) { group in
                for store in stores {
                    group.addTask { try await store.take(state: state, now: now) == nil ? 0 : 1 }
                }
                return try await group.reduce(0, +)
            }
            #expect(winners == 1)
        }
    }

    @Test func `many sign-ins that begin at once are all kept`() async throws {
        // They wait for each other, and a busy disk may keep each of them.
        let (store, now) = (FileTransactionStore(directory: directory, timeout: .seconds(60)), now)
        let transactions = try (0..<32).map { try transaction("parallel \($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for transaction in transactions { group.addTask { try await store.insert(transaction, now: now) } }
            try await group.waitForAll()
        }
        for transaction in transactions {
            #expect(try await store.take(state: transaction.state, now: now) == transaction)
        }
    }

    // MARK: A sign-in that another process finishes

    /// A client as in another process: only files, keys and the server are shared.
    private func client(_ server: FakeServer, _ keyStore: any KeyStore, _ clock: FixedClock) throws -> OAuth2Client {
        try OAuth2Client(
            issuer: FakeServer.issuer,
            clientID: "my-app",
            redirectURI: "com.example.app:/callback",
            keyStore: keyStore,
            tokenStore: FileTokenStore(directory: directory + "-tokens"),
            transactionStore: store,
            transport: server,
            clock: clock
        )
    }

    @Test func `trap 9 and 11: another client finishes the sign-in, with its redirect URI and its key`() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory + "-tokens") }
        let (server, keyStore, clock) = (FakeServer(), MemoryKeyStore(), FixedClock())
        let request = try await client(server, keyStore, clock).initiateAuthorization(scopes: ["api:read"])
        let callback = try await server.approve(request)
        let second = try client(server, keyStore, clock)
        await server.change { $0.unreachable = ["/.well-known/oauth-authorization-server"] }
        // Without a network the response is not consumed.
        #expect(await clientError { _ = try await second.resumeSignIn(callback) }?.code == .transportFailed)
        #expect(
            await clientError { _ = try await second.resumeSignIn("https://app.example/x") }?.code == .unrelatedCallback
        )
        await server.change { $0.unreachable = [] }
        let session = try await second.resumeSignIn(callback)
        #expect(try await session.tokenManager.fetch().scope == Scope(["api:read"]))
        #expect(try await second.restoreSession() != nil)
        let third = try client(server, keyStore, clock)
        #expect(await clientError { _ = try await third.resumeSignIn(callback) }?.code == .unknownState)
        #expect(await server.violations == [])
    }

    @Test func `trap 11: without the key that it was begun with a sign-in is over`() async throws {
        let (server, clock) = (FakeServer(), FixedClock())
        let request = try await client(server, MemoryKeyStore(), clock).initiateAuthorization(scopes: [])
        let callback = try await server.approve(request)
        let other = try client(server, MemoryKeyStore(), clock)
        #expect(await clientError { _ = try await other.resumeSignIn(callback) }?.code == .keyMissing)
        #expect(await server.requests(to: "/token").isEmpty)
    }
}
