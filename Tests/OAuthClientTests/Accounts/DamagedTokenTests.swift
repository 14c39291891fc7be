// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import SigningKeys
import Testing

@testable import OAuthClient

/// What may become of stored tokens.
enum TokenDamage: CaseIterable {
    case overwritten
    /// As after a restore that forgot the mode.
    case readableByOthers
}

@Suite("Accounts: stored tokens that cannot be read lock no account", .timeLimit(.minutes(1)))
final class DamagedTokenTests: Sendable {
    private let directory: String
    private let fixture: AccountFixture

    init() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        self.directory = directory
        fixture = try await AccountFixture(tokenStore: FileTokenStore(directory: directory))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func signedIn(_ damage: TokenDamage) async throws -> String {
        let manager = try fixture.manager()
        try await fixture.signIn(manager, "alice")
        let id = try #require(try await manager.current()).id
        switch damage {
        case .overwritten: try write("x", file(of: id))
        case .readableByOthers:
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file(of: id))
        }
        let later = try fixture.manager(seed: 2)
        #expect(await clientError { _ = try await later.session() }?.code == .storageFailed)
        return id
    }

    private func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private func file(of id: String) -> String {
        directory + "/" + fixture.account(id).identifier + "/tokens.json"
    }

    @Test(arguments: TokenDamage.allCases)
    func `the user signs in again to the same account`(_ damage: TokenDamage) async throws {
        let id = try await signedIn(damage)
        let later = try fixture.manager(seed: 3)
        try await fixture.signIn(later, "alice", as: id)
        #expect(try await later.accounts().map(\.id) == [id])
        #expect(try await fixture.manager(seed: 4).session() != nil)
    }

    @Test(arguments: TokenDamage.allCases)
    func `a sign-out deletes the tokens and the key`(_ damage: TokenDamage) async throws {
        let id = try await signedIn(damage)
        let later = try fixture.manager(seed: 3)
        let result = try await later.signOut(id)
        #expect(result.failure == nil)
        #expect(!FileManager.default.fileExists(atPath: file(of: id)))
        #expect(try await fixture.keyStore.aliases().isEmpty)
        let list = try await fixture.accountStore.list()
        #expect(list.accounts.isEmpty && list.ended.isEmpty)
    }

    @Test(arguments: TokenDamage.allCases)
    func `a new sign-in of the same user replaces the account`(_ damage: TokenDamage) async throws {
        let old = try await signedIn(damage)
        let later = try fixture.manager(seed: 3)
        try await fixture.signIn(later, "alice")
        let account = try #require(try await later.current())
        #expect(account.id != old)
        #expect(later.latestState == .signedIn(account))
        #expect(!FileManager.default.fileExists(atPath: file(of: old)))
        #expect(try await later.accounts().map(\.id) == [account.id])
    }

    @Test func `tokens of a newer version are not deleted, and fail no sign-in`() async throws {
        let manager = try fixture.manager()
        try await fixture.signIn(manager, "alice")
        let old = try #require(try await manager.current()).id
        let newer = #"{"v":99}"#
        try write(newer, file(of: old))
        let later = try fixture.manager(seed: 2)
        let error = await clientError { _ = try await later.signOut(old) }
        #expect(error?.underlying is NewerFormat)
        try await fixture.signIn(later, "alice")
        #expect(try String(contentsOfFile: file(of: old), encoding: .utf8) == newer)
        // The version that can read them finishes the sign-out.
        #expect(try await fixture.accountStore.list().ended.map(\.id) == [old])
    }
}
#endif
