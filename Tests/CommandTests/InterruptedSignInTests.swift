// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthClient
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("keybound login that goes on in another process")
struct InterruptedSignInTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("correct horse battery staple", to: "password")
        try directory.write("a passphrase for the key", to: "passphrase")
    }

    @Test func `a sign-in whose process was killed is finished by another one`() async throws {
        let server = try await startServer()
        let first = try login(at: server.issuer, "--show-url", "--passphrase-file", "passphrase")
        let url = try await first.errorLine(beginningWith: server.issuer)
        first.kill()
        #expect(await first.result().status == 128 + 9)
        let answer = try await answer(to: url)
        try expectPrivateFiles()

        // What is wrong costs nothing: the answer is still good afterwards.
        let closed = try await finish(answer, "--passphrase-file", "password")
        #expect(closed.status == 5, Comment(rawValue: closed.errors))
        let forged = try await finish("http://127.0.0.1/callback?code=x&state=y")
        #expect(forged.status == 1)
        #expect(forged.errors.hasPrefix("keybound: no sign-in waits for this response"))
        #expect(try await run("token", "show").status == 4)

        let second = try await finish(answer, "--passphrase-file", "passphrase")
        #expect(second.status == 0, Comment(rawValue: second.errors))
        #expect(second.output == "signed in at \(server.issuer)\n")
        #expect(try await run("token", "refresh", "--passphrase-file", "passphrase").status == 0)
        let third = try await finish(answer, "--passphrase-file", "passphrase")
        #expect(third.status == 1)
        #expect(try await run("token", "show").status == 0)
        #expect(try await run("logout").status == 0)
        #expect(try accounts() == [])
        _ = await server.stop()
    }

    @Test func `--print-url prints the URL and ends`() async throws {
        let server = try await startServer()
        let first = try await login(at: server.issuer, "--print-url", "--unencrypted-key-file").result()
        #expect(first.status == 0, Comment(rawValue: first.errors))
        let url = String(first.output.dropLast())
        #expect(url.hasPrefix(server.issuer))
        let answer = try await answer(to: url)
        let second = try await finish(answer)
        #expect(second.status == 0, Comment(rawValue: second.errors))
        #expect(try await run("token", "refresh").status == 0)
        _ = await server.stop()
    }

    @Test func `OpenID Connect Core section 3 1 2 1: --max-age and --acr are part of the request`() async throws {
        let server = try await startServer()
        let first = try await login(at: server.issuer, "--print-url", "--unencrypted-key-file", "--max-age", "2m")
            .result()
        #expect(first.status == 0, Comment(rawValue: first.errors))
        #expect(try pendingSignIn().contains(#""max_age_s":120"#))
        // RFC 9470: the server supports none of the contexts, so it must have got them.
        let strange = try await login(
            at: server.issuer,
            "--print-url",
            "--unencrypted-key-file",
            "--acr",
            "urn:a urn:b"
        )
        .result()
        #expect(strange.status == 1)
        #expect(strange.errors.contains("unmet_authentication_requirements"), Comment(rawValue: strange.errors))
        _ = await server.stop()
    }

    @Test func `of processes that bring the same answer exactly one wins`() async throws {
        let server = try await startServer()
        let first = try await login(at: server.issuer, "--print-url", "--unencrypted-key-file").result()
        let answer = try await answer(to: String(first.output.dropLast()))
        let processes = try (0..<4).map { _ in try finishing(answer) }
        var results: [KeyboundProcess.Result] = []
        for process in processes { results.append(await process.result()) }
        #expect(results.count { $0.status == 0 } == 1)
        for loser in results where loser.status != 0 {
            #expect(loser.errors.hasPrefix("keybound: no sign-in waits for this response"))
        }
        // A code that is redeemed twice ends the session at the server: this one lives.
        #expect(try await run("token", "refresh").status == 0)
        _ = await server.stop()
    }

    @Test func `a new sign-in takes the place of the one that waits`() async throws {
        let server = try await startServer()
        let old = try await login(at: server.issuer, "--print-url", "--unencrypted-key-file").result()
        let new = try await login(at: server.issuer, "--print-url", "--unencrypted-key-file").result()
        let stale = try await answer(to: String(old.output.dropLast()))
        #expect(try await finish(stale).status == 1)
        let good = try await answer(to: String(new.output.dropLast()))
        #expect(try await finish(good).status == 0)
        _ = await server.stop()
    }

    @Test func `a person who said no ends the sign-in, and nothing is left behind`() async throws {
        let server = try await startServer()
        let first = try await login(at: server.issuer, "--print-url", "--unencrypted-key-file").result()
        let answer = try await answer(to: String(first.output.dropLast()), decision: "deny")
        let second = try await finish(answer)
        #expect(second.status == 1)
        #expect(second.errors.contains("keybound: the sign-in was refused: access_denied\n"))
        #expect(try accounts() == [])
        _ = await server.stop()
    }

    @Test func `accounts that sign in at the same time do not mix`() async throws {
        let server = try await startServer()
        var answers: [String] = []
        for name in ["one", "two"] {
            let begun = try await login(at: server.issuer, "--print-url", "--unencrypted-key-file", "--account", name)
                .result()
            answers.append(try await answer(to: String(begun.output.dropLast())))
        }
        for (name, answer) in zip(["two", "one"], answers.reversed()) {
            let result = try await finish(answer, "--json")
            #expect(result.status == 0, Comment(rawValue: result.errors))
            #expect(result.output.contains("\"account\": \"\(name)\""), Comment(rawValue: result.output))
        }
        _ = await server.stop()
    }

    @Test(arguments: [
        "http://127.0.0.1/callback?code=x", "hello", "http://127.0.0.1/?state=a&state=b", "http://a/#state=b",
    ])
    func `what is no answer is said, with exit code 2`(_ answer: String) async throws {
        #expect(try await finish(answer).status == 2)
    }

    @Test(arguments: [
        ["--answer-file", "x", "--print-url"], ["--answer", "--show-url"], ["--print-url", "--client-id", "tool"],
        ["--answer-file", "x", "--max-age", "0s"],
        ["https://auth.example.com", "--client-id", "tool", "--device", "--acr", "x"],
    ])
    func `what does not go together is said, with exit code 2`(_ options: [String]) async throws {
        #expect(try await KeyboundProcess.run(["login"] + options, in: directory).status == 2)
    }

    private func startServer() async throws -> ServedIssuer {
        let server = try await ServedIssuer(in: directory)
        #expect(try await run("user", "add", "ada", "--password-file", "password").status == 0)
        let client = try await KeyboundProcess.run(
            [
                "client", "add", "--id", "tool", "--redirect-uri", "http://127.0.0.1/callback", "--scope",
                ServedIssuer.scope,
            ],
            in: directory
        )
        #expect(client.status == 0)
        return server
    }

    private func login(at issuer: String, _ options: String...) throws -> KeyboundProcess {
        try KeyboundProcess(
            ["login", issuer, "--client-id", "tool", "--scope", ServedIssuer.scope, "--allow-insecure-loopback"]
                + options,
            in: directory
        )
    }

    /// Walks the pages; where the browser ends nobody listens any more.
    private func answer(to url: String, decision: String = "allow") async throws -> String {
        let walker = HeadlessBrowser(
            answers: ["username": "ada", "password": "correct horse battery staple"],
            decision: decision,
            transcript: Transcript(style: TerminalStyle(isColored: false)) { _ in }
        )
        await #expect(throws: OAuthClientError.self) { try await walker.open(url) }
        #expect(walker.address.hasPrefix("http://127.0.0.1"))
        return walker.address
    }

    private func finishing(_ answer: String, _ options: [String] = []) throws -> KeyboundProcess {
        try KeyboundProcess(["login", "--answer-file", "-"] + options, input: answer + "\n", in: directory)
    }

    private func finish(_ answer: String, _ options: String...) async throws -> KeyboundProcess.Result {
        try await finishing(answer, options).result()
    }

    private func run(_ arguments: String...) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(arguments, in: directory)
    }

    private func accounts() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path + "/state/keybound/accounts")
            .filter { $0 != "current" }
    }

    /// What the command stored of the sign-in that waits.
    private func pendingSignIn() throws -> String {
        let account = try #require(accounts().first)
        let folder = "state/keybound/accounts/\(account)/sign-ins"
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/" + folder)
        let file = try #require(names.first { $0.hasSuffix(".json") })
        return try directory.text(of: "\(folder)/\(file)")
    }

    private func expectPrivateFiles() throws {
        let root = directory.path + "/state/keybound/accounts"
        let files = try #require(FileManager.default.enumerator(atPath: root))
        var names: [String] = []
        for case let file as String in files {
            let mode = try FileManager.default.attributesOfItem(atPath: root + "/" + file)[.posixPermissions] as? Int
            #expect((mode ?? 0o777) & 0o077 == 0, "\(file)")
            names.append(file)
        }
        #expect(names.contains { $0.contains("/sign-ins/") && $0.hasSuffix(".json") })
    }
}
