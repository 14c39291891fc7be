// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import HTTPServer
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTransport
import ResourceServer
import StrictJSON
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("keybound login, request, token, logout")
struct SessionTests {
    private let directory: TemporaryDirectory
    private let tool: SignInTool

    init() throws {
        directory = try TemporaryDirectory()
        tool = try SignInTool(in: directory)
    }

    @Test func `signs in, calls an API, refreshes, shows and ends the session`() async throws {
        let server = try await ServedIssuer(in: directory)
        let api = try ServedNotes.listen(for: server.issuer)
        let address = "http://127.0.0.1:\(api.port)/notes"
        try await register()
        let signedIn = try await signIn(at: server.issuer, options: ["--passphrase-file", "passphrase"])
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        #expect(signedIn.output == "signed in at \(server.issuer)\n")

        let origin = "http://127.0.0.1:\(api.port)"
        let unasked = try await run("request", "GET", address, "--passphrase-file", "passphrase", "--fail")
        #expect(unasked.status == 2 && unasked.errors.contains("add --allow-origin \(origin)\n"))
        let answer = try await run(
            "request",
            "GET",
            address,
            "--passphrase-file",
            "passphrase",
            "--fail",
            "--allow-origin",
            origin
        )
        #expect(answer.status == 0, Comment(rawValue: answer.errors))
        #expect(answer.output.contains("Water the plants"))
        let missing = try await run("request", "GET", address + "x", "--passphrase-file", "passphrase", "--fail", "-i")
        #expect(missing.status == 1)
        #expect(missing.output.hasPrefix("HTTP/1.1 404\r\n"))
        #expect(missing.errors == "keybound: the API returned 404\n")

        let before = try await run("token", "show", "--reveal")
        let refreshed = try await run("token", "refresh", "--passphrase-file", "passphrase")
        let after = try await run("token", "show", "--reveal")
        #expect(refreshed.status == 0, Comment(rawValue: refreshed.errors))
        let areTwoTokens =
            before.output.hasPrefix("eyJ") && after.output.hasPrefix("eyJ") && before.output != after.output
        #expect(areTwoTokens)
        try await expectNoSecrets(in: run("token", "show"))
        try await expectNoSecrets(in: run("token", "show", "--json"))

        let ended = try await run("logout")
        #expect(ended.status == 0)
        #expect(ended.errors == "signed out of \(server.issuer)\n")
        #expect(try await run("request", "GET", address).status == 4)
        let accounts = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/state/keybound/accounts")
        #expect(accounts.isEmpty)
        await api.stop(draining: .zero)
        _ = await server.stop()
    }

    @Test func `what the server says is shown, cleaned and marked as its words, whatever the error is`() async throws {
        let server = try await ServedIssuer(in: directory)
        try await register()
        let signedIn = try await signIn(at: server.issuer, options: ["--unencrypted-key-file"])
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        let wellKnown = "/.well-known/oauth-authorization-server"
        let metadata = try await PlatformTransport().send(
            HTTPRequest(target: server.issuer + wellKnown),
            maximumBodySize: 1 << 16
        )
        _ = await server.stop()
        let port = try #require(URL(string: server.issuer)?.port.flatMap(UInt16.init(exactly:)))
        let long = String(repeating: "x", count: 5000)
        for (status, code, exit) in [(503, "temporarily_unavailable", Int32(3)), (400, "invalid_grant", 4)] {
            let answer: JSONObject = [
                "error": .string(code), "error_description": .string("line one\r\n\u{1B}[31mline two " + long),
                "error_uri": "https://auth.example/errors/7",
            ]
            let listener = try HTTPListener(port: port) { request in
                guard request.path != wellKnown else { return metadata }
                return HTTPResponse(
                    status: status,
                    fields: ["Content-Type": "application/json"],
                    body: JSONValue.object(answer).encoded()
                )
            }
            let result = try await run("token", "refresh")
            await listener.stop(draining: .zero)
            #expect(result.status == exit, Comment(rawValue: result.errors))
            let lines = result.errors.split(separator: "\n")
            let said = try #require(lines.first { $0.contains("the server says: ") }, Comment(rawValue: result.errors))
            #expect(said.contains("the server says: line one???[31mline two xxx"))
            #expect(said.utf8.count < 1100)
            #expect(lines.contains { $0.hasSuffix("the server refers to: https://auth.example/errors/7") })
            let again =
                "hint: sign in again: keybound login \(server.issuer) --client-id tool --allow-insecure-loopback "
                + "--scope \(ServedIssuer.scope)"
            #expect(lines.contains { $0 == again } == (exit == 4), Comment(rawValue: result.errors))
        }
    }

    @Test func `finds the authorization server from the URL of an API, and goes to no other one`() async throws {
        let slot = LateBoundHandler()
        let api = try HTTPListener(port: 0, handler: slot.respond)
        // The scope belongs to this API: without its resource (RFC 8707) the server would answer invalid_scope.
        let resource = "http://127.0.0.1:\(api.port)"
        try directory.write(
            """
            {"resources": {"\(resource)": {"scopes": ["notes:read"]}}}
            """,
            to: "apis.json"
        )
        let server = try await ServedIssuer(
            in: directory,
            options: ["--unencrypted-key-file", "--config", "apis.json"]
        )
        try ServedNotes.answer(slot, of: server.issuer, at: resource, for: resource)
        let address = resource
        try await register()
        let other = try await run(
            "login",
            server.issuer + "/",
            "--api",
            address,
            "--client-id",
            "tool",
            "--allow-insecure-loopback"
        )
        #expect(other.status == 1)
        #expect(other.errors.contains("the API does not accept tokens from \(server.issuer)/\n"))
        #expect(other.errors.contains("the API names \(server.issuer)\n"))
        let insecure = try await run("login", "--api", address, "--client-id", "tool")
        #expect(insecure.status == 2)
        let elsewhere = try await run(
            "login",
            "--api",
            server.issuer,
            "--client-id",
            "tool",
            "--allow-insecure-loopback"
        )
        #expect(elsewhere.status == 1)
        #expect(elsewhere.errors.contains("the API does not say where its metadata lies"))

        let signedIn = try await signIn(at: nil, options: ["--api", address, "--unencrypted-key-file"])
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        #expect(signedIn.output == "signed in at \(server.issuer)\n")
        #expect(signedIn.errors.hasPrefix("the API names \(server.issuer) as its authorization server\n"))
        #expect(try await run("request", "GET", address + "/notes", "--fail").status == 0)
        // The refreshed token is for the same API.
        #expect(try await run("token", "refresh").status == 0)
        #expect(try await run("request", "GET", address + "/notes", "--fail").status == 0)
        let token = try await run("token", "show", "--reveal").output
        let claims = try CompactJWS(parsing: String(token.prefix { !$0.isWhitespace })).payloadObject()
        #expect(claims["aud"]?.stringValue == resource)
        await api.stop(draining: .zero)
        _ = await server.stop()
    }

    @Test func `a token outlives the key that signed it, and the next one has a new kid, without a restart`()
        async throws
    {
        let server = try await ServedIssuer(in: directory)
        let api = try ServedNotes.listen(for: server.issuer)
        let address = "http://127.0.0.1:\(api.port)/notes"
        try await register()
        _ = try await signIn(at: server.issuer, options: ["--unencrypted-key-file"])
        #expect(try await run("request", "GET", address, "--fail", "--allow-origin", address).status == 0)
        let old = try await signingKeyOfToken()
        let rotated = try await run("keys", "server", "rotate", "--now", "--key-credential-file", "credential")
        #expect(rotated.status == 0, Comment(rawValue: rotated.errors))
        #expect(try await run("request", "GET", address, "--fail").status == 0)
        for _ in 0..<300 where try await signingKeyOfToken() == old {
            try await Task.sleep(for: .milliseconds(200))
            #expect(try await run("token", "refresh").status == 0)
        }
        #expect(try await signingKeyOfToken() != old)
        // The API kept the set of keys from before: it looks again.
        let answer = try await run("request", "GET", address, "--fail")
        #expect(answer.status == 0, Comment(rawValue: answer.errors))
        await api.stop(draining: .zero)
        _ = await server.stop()
    }

    /// The `kid` of the access token.
    private func signingKeyOfToken() async throws -> String {
        let token = try await run("token", "show", "--reveal").output
        let header = try CompactJWS(parsing: String(token.prefix { !$0.isWhitespace })).header
        return try #require(header["kid"]?.stringValue)
    }

    @Test func `keeps what it stores to its user, and the key encrypted`() async throws {
        let server = try await ServedIssuer(in: directory)
        try await register()
        let signedIn = try await signIn(at: server.issuer, options: ["--key-credential-file", "credential", "--json"])
        let facts = try JSONValue(parsing: Array(signedIn.output.utf8)).objectValue
        #expect(facts?["key_protection"] == "encrypted with a credential")
        let files = try #require(FileManager.default.enumerator(atPath: directory.path + "/state/keybound/accounts"))
        var count = 0
        for case let file as String in files {
            let path = directory.path + "/state/keybound/accounts/" + file
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect((mode ?? 0o777) & 0o077 == 0, "\(file)")
            count += 1
        }
        #expect(count >= 5)
        // The credential file is remembered; without it the key stays closed.
        #expect(try await run("proof", "make", "--url", server.issuer).status == 0)
        try FileManager.default.removeItem(atPath: directory.path + "/credential")
        let closed = try await run("proof", "make", "--url", server.issuer)
        #expect(closed.status == 5)
        #expect(closed.output.isEmpty)
        _ = await server.stop()
    }

    @Test func `a wrong passphrase is said, with exit code 5`() async throws {
        let server = try await ServedIssuer(in: directory)
        try await register()
        _ = try await signIn(at: server.issuer, options: ["--passphrase-file", "passphrase"])
        let result = try await run("request", "GET", server.issuer, "--passphrase-file", "password")
        #expect(result.status == 5)
        #expect(result.errors == "keybound: the passphrase or credential does not open the key file\n")
        let silent = try await run("request", "GET", server.issuer)
        #expect(silent.status == 5)
        #expect(silent.errors.hasPrefix("keybound: there is no terminal to ask for the passphrase of the key\n"))
        _ = await server.stop()
    }

    @Test func `a person who says no ends the sign-in, and nothing is left behind`() async throws {
        let server = try await ServedIssuer(in: directory)
        try await register()
        let result = try await signIn(at: server.issuer, options: ["--unencrypted-key-file"], decision: "deny")
        #expect(result.status == 1)
        #expect(result.errors.contains("keybound: the sign-in was refused: access_denied\n"))
        #expect(try await run("token", "show").status == 4)
        _ = await server.stop()
    }

    @Test func `trap 50: processes that refresh at the same time do not spend a refresh token twice`() async throws {
        let server = try await ServedIssuer(in: directory)
        try await register()
        _ = try await signIn(at: server.issuer, options: ["--unencrypted-key-file"])
        let account = ClientAccount(issuer: server.issuer, clientID: "tool").identifier
        let path = directory.path + "/state/keybound/accounts/" + account
        let before = try Data(contentsOf: URL(filePath: path + "/tokens.json"))
        // While this process has the lock, none of the others asks the server.
        var lock: FileLock? = try await FileLock(path + "/lock", timeout: .zero)
        let processes = try (0..<4).map { _ in try KeyboundProcess(["token", "refresh"], in: directory) }
        try await Task.sleep(for: .seconds(2))
        #expect(try Data(contentsOf: URL(filePath: path + "/tokens.json")) == before)
        withExtendedLifetime(lock) {}
        lock = nil
        for process in processes {
            let result = await process.result()
            #expect(result.status == 0, Comment(rawValue: result.errors))
        }
        #expect(try Data(contentsOf: URL(filePath: path + "/tokens.json")) != before)
        // A refresh token that is used twice ends the whole session at the server.
        #expect(try await run("token", "refresh").status == 0)
        #expect(try await run("logout").status == 0)
        _ = await server.stop()
    }

    @Test func `logout ends the session here when the server is gone`() async throws {
        let server = try await ServedIssuer(in: directory)
        try await register()
        _ = try await signIn(at: server.issuer, options: ["--unencrypted-key-file"])
        _ = await server.stop()
        let result = try await run("logout", "--quiet")
        #expect(result.status == 3)
        #expect(result.errors.hasPrefix("keybound: the server could not revoke the tokens: "))
        #expect(result.errors.hasSuffix("it expires; the refresh token is useless without the key\n"))
        #expect(try await run("token", "show").status == 4)
    }

    private func signIn(
        at issuer: String?,
        options: [String],
        decision: String = "allow"
    ) async throws -> KeyboundProcess.Result {
        try await tool.signIn(at: issuer, options: options, decision: decision)
    }

    private func register() async throws {
        try await tool.register()
    }

    private func run(_ arguments: String...) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(arguments, in: directory)
    }

    private func expectNoSecrets(in result: KeyboundProcess.Result) {
        #expect(result.status == 0)
        for word in result.output.split(whereSeparator: { $0.isWhitespace || $0 == "\"" }) {
            let isSecret = word.hasPrefix("eyJ") || word.hasPrefix("kbr_")
            #expect(!isSecret)
        }
    }
}
