// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthClient
import StrictJSON
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("keybound login --mcp, at a server that may have lost the registration")
struct LostRegistrationTests {
    private let directory: TemporaryDirectory
    private let issuer: SecretIssuer

    init() throws {
        directory = try TemporaryDirectory()
        issuer = try SecretIssuer(givesNewClients: true)
    }

    private func run(_ arguments: String..., input: String = "") async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(arguments, input: input, in: directory)
    }

    /// Starts a sign-in that prints its URL.
    ///
    /// - Parameter name: The name of the account; `nil` for the usual one.
    /// - Returns: The authorization request.
    /// - Throws: An error of the test.
    private func start(_ name: String? = nil) async throws -> FormParameters {
        let arguments = ["login", "--mcp", issuer.url, "--allow-insecure-loopback", "--print-url"]
        let shown = try await KeyboundProcess.run(arguments + (name.map { ["--account", $0] } ?? []), in: directory)
        try #require(shown.status == 0, Comment(rawValue: shown.errors))
        return try FormParameters(decoding: URI(parsing: String(shown.output.dropLast())).query ?? "")
    }

    /// Brings the response to a request.
    private func finish(
        _ request: FormParameters,
        with response: String = "code=c"
    ) async throws -> KeyboundProcess.Result {
        let state = try #require(try request.value(for: "state"))
        let callback = "http://127.0.0.1/callback?\(response)&state=\(state)\n"
        return try await run("login", "--answer-file", "-", input: callback)
    }

    private func signIn() async throws {
        let finished = try await finish(start())
        #expect(finished.status == 0, Comment(rawValue: finished.errors))
    }

    /// Starts a sign-in that gets no response: its process ends, or is killed while it waits.
    private func startInVain(_ isKilled: Bool) async throws {
        guard isKilled else {
            _ = try await start()
            return
        }
        let login = try KeyboundProcess(
            ["login", "--mcp", issuer.url, "--allow-insecure-loopback", "--show-url"],
            in: directory
        )
        _ = try await login.errorLine(beginningWith: issuer.origin)
        login.kill()
        _ = await login.result()
    }

    /// The client of the last token request, with its secret.
    private func lastClient() throws -> [String?] {
        let form = try #require(issuer.tokenRequests.last)
        return [try form.value(for: "client_id"), try form.value(for: "client_secret")]
    }

    /// Whether a file of the command has the first secret.
    private func holdsFirstSecret() throws -> Bool {
        let state = directory.path + "/state/keybound"
        return try FileManager.default.subpathsOfDirectory(atPath: state).filter { $0.hasSuffix(".json") }.contains {
            try String(contentsOfFile: state + "/" + $0, encoding: .utf8).contains("\"\(SecretIssuer.secret)\"")
        }
    }

    private func accountCount() throws -> Int {
        let accounts = directory.path + "/state/keybound/accounts"
        return try FileManager.default.subpathsOfDirectory(atPath: accounts).count { $0.hasSuffix("/account.json") }
    }

    @Test(arguments: [false, true])
    func `RFC 6749 section 4.1.2.1: after a sign-in without a response the command registers again`(
        _ isKilled: Bool
    ) async throws {
        try await signIn()
        try await startInVain(isKilled)
        #expect(issuer.registrationCount == 1)
        let request = try await start()
        #expect(issuer.registrationCount == 2)
        #expect(try request.value(for: "client_id") == "registered-2")
        // Until its user signs in again, the account is that of the first client, with its own secret.
        let refreshed = try await run("token", "refresh")
        #expect(refreshed.status == 0, Comment(rawValue: refreshed.errors))
        #expect(try lastClient() == ["registered", SecretIssuer.secret])

        let finished = try await finish(request)
        #expect(finished.status == 0, Comment(rawValue: finished.errors))
        #expect(try await run("request", "POST", issuer.url, "--fail").status == 0)
        #expect(try await run("token", "refresh").status == 0)
        #expect(try lastClient() == ["registered-2", SecretIssuer.secret + "-2"])
        #expect(try accountCount() == 1)
        let revocation = try #require(issuer.revocations.last)
        #expect(try revocation.value(for: "client_secret") == SecretIssuer.secret)
        #expect(try !holdsFirstSecret())
        await issuer.stop()
    }

    @Test func `any response shows that the server knows the client, also one that says no`() async throws {
        try await signIn()
        let denied = try await finish(start(), with: "error=access_denied")
        #expect(denied.status != 0)
        try await signIn()
        try await signIn()
        #expect(issuer.registrationCount == 1)
        await issuer.stop()
    }

    @Test func `a client that the server does not know registers again, and the command says so`() async throws {
        try await signIn()
        issuer.forget("registered")
        let refused = try await finish(start())
        #expect(refused.status == 1)
        let hint = "registers anew: keybound login --mcp \(issuer.url)\n"
        #expect(refused.errors.contains(hint), Comment(rawValue: refused.errors))
        #expect(refused.errors.contains("the server says: no such client\n"), Comment(rawValue: refused.errors))
        let request = try await start()
        #expect(try request.value(for: "client_id") == "registered-2")
        await issuer.stop()
    }

    @Test(arguments: [["logout"], ["keys", "delete"]])
    func `the secret of a replaced registration goes with its account`(_ command: [String]) async throws {
        try await signIn()
        _ = try await start()
        _ = try await start()
        #expect(issuer.registrationCount == 2)
        #expect(try holdsFirstSecret())
        let ended = try await KeyboundProcess.run(command, in: directory)
        #expect(ended.status == 0, Comment(rawValue: ended.errors))
        #expect(try !holdsFirstSecret())
        await issuer.stop()
    }

    @Test func `a sign-in that waits for its response keeps its client, whoever registers again meanwhile`()
        async throws
    {
        var requests: [(name: String, request: FormParameters)] = []
        for name in ["one", "two", "three"] { requests.append((name, try await start(name))) }
        #expect(issuer.registrationCount == 2)
        for (name, request) in requests {
            let finished = try await finish(request)
            #expect(finished.status == 0, Comment(rawValue: finished.errors))
            let refreshed = try await run("token", "refresh", "--account", name)
            #expect(refreshed.status == 0, Comment(rawValue: refreshed.errors))
            let isLast = name == "three"
            let client = isLast ? "registered-2" : "registered"
            #expect(try lastClient() == [client, SecretIssuer.secret + (isLast ? "-2" : "")])
        }
        #expect(try accountCount() == 3)
        for name in ["one", "two"] {
            #expect(try holdsFirstSecret())
            #expect(try await run("logout", "--account", name).status == 0)
        }
        #expect(try !holdsFirstSecret())
        await issuer.stop()
    }

    @Test func `a sign-in ends those before it that got no response, with the secret of their client`() async throws {
        _ = try await start()
        let late = try await start()
        try await signIn()
        #expect(issuer.registrationCount == 2)
        #expect(try !holdsFirstSecret())
        let finished = try await finish(late)
        #expect(finished.errors.hasPrefix("keybound: no sign-in waits for this response"))
        #expect(try await run("token", "refresh").status == 0)
        await issuer.stop()
    }

    @Test func `a sign-in that was rejected needs the secret of its client no more`() async throws {
        let requests = [try await start("one"), try await start("two")]
        _ = try await start("three")
        #expect(try holdsFirstSecret())
        for request in requests {
            #expect(try await finish(request, with: "error=access_denied").status != 0)
        }
        #expect(try !holdsFirstSecret())
        await issuer.stop()
    }

    /// Stores the registrations as an older version did, which noted no accounts.
    private func forgetAccounts() throws {
        let folder = directory.path + "/state/keybound/mcp/"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".json") {
            let content = try #require(FileManager.default.contents(atPath: folder + name))
            var record = try #require(try JSONValue(parsing: Array(content)).objectValue)
            record["keybound_sessions"] = nil
            record["keybound_unused"] = true
            let file = try #require(FileHandle(forWritingAtPath: folder + name))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(JSONValue.object(record).encoded()))
            try file.close()
        }
    }

    @Test func `an account of an older version is noted when it is used`() async throws {
        try await signIn()
        try forgetAccounts()
        #expect(try await run("token", "refresh").status == 0)
        let refused = try await start("other")
        _ = try await start("another")
        #expect(issuer.registrationCount == 2)
        #expect(try await finish(refused, with: "error=access_denied").status != 0)
        let refreshed = try await run("token", "refresh")
        #expect(refreshed.status == 0, Comment(rawValue: refreshed.errors))
        #expect(try lastClient() == ["registered", SecretIssuer.secret])
        await issuer.stop()
    }

    @Test func `an account remembers that its client has no secret`() throws {
        var record = AccountRecord(
            account: ClientAccount(issuer: "https://auth.example", clientID: "registered"),
            redirectURI: "http://127.0.0.1/callback",
            allowsInsecureLoopback: false,
            keyPlace: .clearFile
        )
        for isPublic in [false, true] {
            record.registeredRedirectURI = "http://127.0.0.1/callback"
            record.isRegisteredWithoutSecret = isPublic
            let stored = try #require(AccountRecord(stored: record.json))
            #expect(stored.registeredRedirectURI == record.registeredRedirectURI)
            #expect(stored.isRegisteredWithoutSecret == isPublic)
            #expect(stored.bindsRefreshToken == isPublic)
        }
    }
}
