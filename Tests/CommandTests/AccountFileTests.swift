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
    private func write(_ name: String, keyPlace: AccountKeyPlace = .clearFile) throws -> String {
        let account = ClientAccount(issuer: "https://auth.example", clientID: "tool", name: name)
        let record = AccountRecord(
            account: account,
            redirectURI: "http://127.0.0.1/callback",
            allowsInsecureLoopback: false,
            keyPlace: keyPlace
        )
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
}
#endif
