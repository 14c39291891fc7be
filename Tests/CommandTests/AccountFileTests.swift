// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import OAuthClient
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("keybound, and the files of its accounts")
struct AccountFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var accounts: String { directory.path + "/state/keybound/accounts" }

    private func run(_ arguments: [String]) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(arguments, in: directory)
    }

    /// Writes an account as a sign-in leaves it, but without tokens; it is the one that signed in last.
    ///
    /// - Returns: Its directory.
    @discardableResult
    private func write(
        _ name: String,
        keyPlace: AccountKeyPlace = .clearFile,
        at issuer: String = "https://auth.example",
        for api: String? = nil
    ) throws -> String {
        let account = ClientAccount(issuer: issuer, clientID: "tool", name: name)
        var record = AccountRecord(
            account: account,
            redirectURI: "http://127.0.0.1/callback",
            allowsInsecureLoopback: false,
            keyPlace: keyPlace
        )
        record.resource = api
        let folder = accounts + "/" + account.identifier
        try PrivateDirectory.makeWithParents(at: folder)
        try PrivateFile.replace(folder + "/account.json", with: JSONValue.object(record.json).encoded())
        try PrivateFile.replace(accounts + "/current", with: Array((account.identifier + "\n").utf8))
        return folder
    }

    private func change(mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test(arguments: [["logout"], ["keys", "show"], ["proof", "make", "--url", "https://api.example.com/"]])
    func `attack: a record that another user can have written loads no PKCS #11 module`(
        _ command: [String]
    ) async throws {
        let folder = try write("default", keyPlace: .token(uri: "pkcs11:token=x?module-path=/nowhere/evil.so"))
        let opened = [
            (accounts, 0o700, 0o1777), (folder, 0o700, 0o770), (folder + "/account.json", 0o600, 0o666),
            (accounts + "/current", 0o600, 0o620),
        ]
        for (path, closed, open) in opened {
            try change(mode: open, of: path)
            let result = try await run(command)
            #expect(result.status == 1, Comment(rawValue: result.errors))
            #expect(result.errors.hasPrefix("keybound: \(path) is not a "), Comment(rawValue: result.errors))
            #expect(result.errors.contains(": run chmod ") && result.errors.contains("\nhint: "))
            #expect(!result.errors.contains("evil"), Comment(rawValue: result.errors))
            #expect(FileManager.default.fileExists(atPath: folder + "/account.json"))
            try change(mode: closed, of: path)
        }
        // The record itself is good: closed to others, it is the module that is missing.
        let closed = try await run(command)
        #expect(closed.errors.contains("evil"), Comment(rawValue: closed.errors))
    }

    @Test func `a damaged record of one account is said, and blocks no other account`() async throws {
        try write("one")
        let file = try write("two") + "/account.json"
        try PrivateFile.replace(file, with: Array("{".utf8))
        let warning = "warning: an account is left out: \(file) is damaged; delete it and sign in again\n"
        let listed = try await run(["keys", "list"])
        #expect(listed.status == 0 && listed.errors == warning, Comment(rawValue: listed.errors))
        #expect(listed.output == "file  -  https://auth.example  tool  one\n")
        for chosen in [[], ["--account", "two"]] {
            let damaged = try await run(["token", "show"] + chosen)
            #expect(damaged.status == 1)
            #expect(damaged.errors == "keybound: \(file) is damaged\nhint: delete it and sign in again\n")
        }
        let ended = try await run(["logout", "--account", "one"])
        #expect(ended.status == 0)
        #expect(ended.errors == warning + "signed out of https://auth.example\n")
    }

    @Test func `a record that the system cannot read is not to be deleted, and blocks no other account`() async throws {
        try write("one")
        let file = try write("two") + "/account.json"
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "elsewhere")
        let reason = "cannot read \(file): too many levels of symbolic links\n"
        let listed = try await run(["keys", "list"])
        #expect(listed.status == 0 && listed.errors == "warning: an account is left out: " + reason)
        #expect(listed.output == "file  -  https://auth.example  tool  one\n")
        for chosen in [[], ["--account", "two"]] {
            let unread = try await run(["token", "show"] + chosen)
            #expect(unread.status == 3)
            #expect(unread.errors == "keybound: " + reason, Comment(rawValue: unread.errors))
        }
    }

    @Test func `damaged tokens of one account hide no account in the list`() async throws {
        let folder = try write("one")
        try write("two")
        try PrivateFile.replace(folder + "/tokens.json", with: [])
        let listed = try await run(["keys", "list"])
        #expect(listed.status == 0)
        #expect(listed.errors.hasPrefix("warning: the tokens of https://auth.example cannot be read: "))
        let rows = Set(listed.output.split(separator: "\n"))
        #expect(rows == ["file  -  https://auth.example  tool  one", "file  -  https://auth.example  tool  two"])
    }

    @Test func `of several accounts for one API the one that signed in last is used, and never just any`() async throws
    {
        let api = "https://api.example/v1"
        let issuers = ["https://a.example", "https://b.example", "https://c.example"]
        // Whatever the order of the directories, the last one is used: it has no tokens here.
        for issuer in issuers {
            for other in issuers where other != issuer { try write("default", at: other, for: api + "/") }
            try write("default", at: issuer, for: api)
            let used = try await run(["request", "GET", api + "/notes"])
            #expect(used.status == 4, Comment(rawValue: used.errors))
            #expect(used.errors.contains("keybound login \(issuer) "), Comment(rawValue: used.errors))
        }
        // The last one is for another API.
        try write("default", at: "https://d.example", for: "https://other.example")
        let refused = try await run(["request", "GET", api + "/notes"])
        #expect(refused.status == 2, Comment(rawValue: refused.errors))
        #expect(
            refused.errors.contains("several accounts are signed in for this API"),
            Comment(rawValue: refused.errors)
        )
        for issuer in issuers { #expect(refused.errors.contains("\(issuer) tool default")) }
        let chosen = try await run(["request", "GET", api + "/notes", "--issuer", issuers[1]])
        #expect(chosen.status == 4 && chosen.errors.contains("keybound login \(issuers[1]) "))
        // A longer address fits better.
        try write("notes", at: "https://e.example", for: api + "/notes")
        try write("default", at: "https://d.example", for: "https://other.example")
        let better = try await run(["request", "GET", api + "/notes"])
        #expect(better.status == 4 && better.errors.contains("keybound login https://e.example "))
    }
}
#endif
