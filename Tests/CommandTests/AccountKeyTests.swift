// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
import OAuthClient
import StrictJSON
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("keybound keys, and where login keeps them")
struct AccountKeyTests {
    private let directory: TemporaryDirectory
    private let tool: SignInTool

    init() throws {
        directory = try TemporaryDirectory()
        tool = try SignInTool(in: directory)
    }

    private func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> KeyboundProcess.Result
    {
        try await KeyboundProcess.run(arguments, in: directory, environment: environment)
    }

    private func signIn(
        at issuer: String,
        options: [String],
        environment: [String: String] = [:]
    ) async throws {
        let result = try await tool.signIn(at: issuer, options: options, environment: environment)
        #expect(result.status == 0, Comment(rawValue: result.errors))
    }

    private func object(_ result: KeyboundProcess.Result) throws -> JSONObject {
        #expect(result.status == 0, Comment(rawValue: result.errors))
        return try #require(try JSONValue(parsing: Array(result.output.utf8)).objectValue)
    }

    private func keyFiles(of issuer: String) throws -> [String] {
        let path =
            directory.path + "/state/keybound/accounts/" + ClientAccount(issuer: issuer, clientID: "tool").identifier
        return try FileManager.default.contentsOfDirectory(atPath: path + "/keys").filter { $0.hasSuffix(".key") }
            .map { path + "/keys/" + $0 }
    }

    @Test func `lists, shows, attests and deletes the key of an account`() async throws {
        let server = try await ServedIssuer(in: directory)
        try await tool.register()
        #expect(try await run("keys", "list").errors == "no account is signed in\n")
        try await signIn(at: server.issuer, options: ["--unencrypted-key-file"])
        let thumbprint = try #require(try await object(run("token", "show", "--json"))["jkt"]?.stringValue)
        #expect(try await run("keys", "list").output == "file  \(thumbprint)  \(server.issuer)  tool  default\n")
        let shown = try await object(run("keys", "show", "--json"))
        #expect(shown["jkt"]?.stringValue == thumbprint)
        #expect(shown["protection"] == "unencrypted-file")
        let publicKey = try #require(shown["jwk"]?.objectValue)
        #expect(try JWK(parsing: publicKey).thumbprint.description == thumbprint)
        #expect(publicKey["d"] == nil)
        let facts = try await object(run("keys", "attest", "--json"))
        #expect(facts["thumbprint"]?.stringValue == thumbprint)
        #expect(facts["tokens"] == "bound to it")
        #expect(facts["signs"] != nil)

        let deleted = try await run("keys", "delete")
        #expect(deleted.status == 0)
        #expect(
            deleted.errors == "the key and the tokens of \(server.issuer) are deleted; the server was not contacted\n"
        )
        #expect(try await run("keys", "show").status == 4)
        let accounts = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/state/keybound/accounts")
        #expect(accounts.isEmpty)
        _ = await server.stop()
    }

    @Test func `a lost key says to sign in again, which makes a new one`() async throws {
        let server = try await ServedIssuer(in: directory)
        try await tool.register()
        try await signIn(at: server.issuer, options: ["--unencrypted-key-file"])
        let before = try await object(run("keys", "show", "--json"))["jkt"]
        for file in try keyFiles(of: server.issuer) { try FileManager.default.removeItem(atPath: file) }
        for arguments in [["keys", "show"], ["keys", "attest"], ["token", "refresh"]] {
            let result = try await KeyboundProcess.run(arguments, in: directory)
            #expect(result.status == 4, "\(arguments) \(result.errors)")
            #expect(result.errors.contains("keybound login"))
        }
        try await signIn(at: server.issuer, options: [])
        let after = try await object(run("keys", "show", "--json"))["jkt"]
        #expect(after != nil)
        #expect(after != before)
        #expect(try await run("token", "refresh").status == 0)
        _ = await server.stop()
    }

    @Test func `the keyring of the desktop opens the key, and says when it does not`() async throws {
        let server = try await ServedIssuer(in: directory)
        try await tool.register()
        let desktop = try await Desktop(in: directory.path)
        let session = ["DBUS_SESSION_BUS_ADDRESS": desktop.busAddress]
        let signedIn = try await tool.signIn(
            at: server.issuer,
            options: ["--key", "secret-service"],
            environment: session
        )
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        #expect(try await run("token", "refresh", environment: session).status == 0)
        let facts = try await object(run("keys", "attest", "--json", environment: session))
        #expect(facts["protection"] == "encrypted-file")
        #expect(facts["opened by"] == "a secret in the keyring of the desktop")
        #expect(
            try await object(run("token", "show", "--json"))["key_protection"]
                == "encrypted with a secret of the desktop's keyring"
        )

        #expect(try await run("token", "refresh").status == 3)
        let elsewhere = try await KeyboundProcess.run(
            SignInTool.arguments(at: server.issuer) + ["--key", "file"],
            in: directory,
            environment: session
        )
        #expect(elsewhere.status == 2)
        #expect(elsewhere.errors.contains("keys cannot be moved"))
        try await desktop.lock()
        let locked = try await run("keys", "show", environment: session)
        #expect(locked.status == 5)
        #expect(locked.errors.hasPrefix("keybound: the keyring of the desktop is locked"))

        // Signed out all the same: the secret opens nothing any more.
        #expect(try await run("logout", environment: session).status == 0)
        #expect(try await run("keys", "list").output.isEmpty)
        _ = await server.stop()
    }

    @Test func `logout takes the secret out of the keyring, and a lost one means to sign in again`() async throws {
        let server = try await ServedIssuer(in: directory)
        try await tool.register()
        let desktop = try await Desktop(in: directory.path)
        let session = ["DBUS_SESSION_BUS_ADDRESS": desktop.busAddress]
        let options = ["--key", "secret-service"]
        try await signIn(at: server.issuer, options: options, environment: session)
        try await desktop.forgetAll()
        let lost = try await run("token", "refresh", environment: session)
        #expect(lost.status == 4)
        #expect(lost.errors.contains("keybound login"))
        // A variable for key files says nothing about an account whose key is elsewhere.
        var others = session
        others["KEYBOUND_KEY_CREDENTIAL_FILE"] = directory.path + "/nowhere"
        let again = try await tool.signIn(at: server.issuer, options: [], environment: others)
        #expect(
            again.status == 0 && again.errors.contains("the previous key is lost"),
            Comment(rawValue: again.errors)
        )
        #expect(try await run("token", "refresh", environment: session).status == 0)
        #expect(try await desktop.hasSecret())
        #expect(try await run("logout", environment: session).status == 0)
        #expect(try await !desktop.hasSecret())
        _ = await server.stop()
    }

    @Test(arguments: [
        (["--key", "nowhere"], "keybound: --key is not a location for a key\n"),
        (["--key", "pkcs11:token=a?pin-value=1234"], "keybound: a PIN does not belong in a URI"),
        (["--key", "pkcs11:token=a;object=mine?module-path=/a.so"], "keybound: the URI names a key in the token"),
        (
            ["--key", "secret-service", "--passphrase-file", "passphrase"],
            "keybound: an option for key files was given"
        ),
        (["--key", "tpm", "--unencrypted-key-file"], "keybound: an option for key files was given"),
    ])
    func `what does not go together is said, with exit code 2`(_ options: [String], _ expected: String) async throws {
        let result = try await KeyboundProcess.run(
            SignInTool.arguments(at: "http://127.0.0.1:1") + options,
            in: directory
        )
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix(expected), Comment(rawValue: result.errors))
        #expect(!result.errors.contains("1234"))
        let accounts = directory.path + "/state/keybound/accounts"
        #expect((try? FileManager.default.contentsOfDirectory(atPath: accounts)) ?? [] == [])
    }

    @Test func `a keyring that is not there is said before anything else, and leaves nothing`() async throws {
        let result = try await KeyboundProcess.run(
            SignInTool.arguments(at: "http://127.0.0.1:1") + ["--key", "secret-service"],
            in: directory
        )
        #expect(result.status == 3)
        #expect(result.errors.hasPrefix("keybound: there is no desktop here"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path + "/state/keybound/accounts") == [])
    }
}
