// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("keybound login --mcp, where every client gets a secret")
struct SecretClientTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func run(_ arguments: String..., input: String = "") async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(arguments, input: input, in: directory)
    }

    /// Signs in, with the answer of the browser made from the printed URL.
    private func signIn(at issuer: SecretIssuer) async throws {
        let finished = try await finishedSignIn(at: issuer)
        #expect(finished.status == 0, Comment(rawValue: finished.errors))
    }

    /// Signs in; something may be done before the response arrives.
    private func finishedSignIn(
        at issuer: SecretIssuer,
        meanwhile: () throws -> Void = {}
    ) async throws -> KeyboundProcess.Result {
        let shown = try await run("login", "--mcp", issuer.url, "--allow-insecure-loopback", "--print-url")
        try #require(shown.status == 0, Comment(rawValue: shown.errors))
        let url = try URI(parsing: String(shown.output.dropLast()))
        let state = try #require(try FormParameters(decoding: url.query ?? "").value(for: "state"))
        let callback = "http://127.0.0.1/callback?code=c&state=\(state)\n"
        try meanwhile()
        let finished = try await run("login", "--answer-file", "-", input: callback)
        #expect(!(shown.output + shown.errors + finished.output + finished.errors).contains(SecretIssuer.secret))
        return finished
    }

    private var accounts: String { directory.path + "/state/keybound/accounts" }

    @Test func `RFC 9700 section 4.14: if the account cannot be stored, its new tokens are revoked`() async throws {
        let issuer = try SecretIssuer()
        let finished = try await finishedSignIn(at: issuer) {
            // As if the disk were full: the file cannot be replaced.
            let names = try FileManager.default.contentsOfDirectory(atPath: accounts)
            let name = try #require(names.first)
            try FileManager.default.createDirectory(
                atPath: accounts + "/\(name)/account.json",
                withIntermediateDirectories: false
            )
        }
        #expect(finished.status == 3, Comment(rawValue: finished.errors))
        #expect(finished.errors.contains("/account.json: is a directory\n"), Comment(rawValue: finished.errors))
        #expect(!finished.errors.contains("stay valid"), Comment(rawValue: finished.errors))
        #expect(try issuer.revocations.map { try $0.value(for: "token") } == ["refresh"])
        let files = try FileManager.default.subpathsOfDirectory(atPath: accounts)
        #expect(!files.contains { $0.hasSuffix("/tokens.json") })
        await issuer.stop()
    }

    @Test func `who is signed in is told so, although the account is not noted as the last one`() async throws {
        let issuer = try SecretIssuer()
        let finished = try await finishedSignIn(at: issuer) {
            try FileManager.default.createDirectory(
                atPath: accounts + "/current",
                withIntermediateDirectories: false
            )
        }
        #expect(finished.status == 0, Comment(rawValue: finished.errors))
        #expect(finished.output == "signed in at \(issuer.origin)\n")
        #expect(finished.errors.contains("warning: you are signed in, but commands do not choose this account"))
        #expect(issuer.revocations.isEmpty)
        for command in [["token", "refresh"], ["logout"]] {
            let result = try await KeyboundProcess.run(command + ["--client-id", "registered"], in: directory)
            #expect(result.status == 0, Comment(rawValue: result.errors))
        }
        await issuer.stop()
    }

    @Test func `the secret is kept, sent with every token request, and never shown`() async throws {
        let issuer = try SecretIssuer()
        try await signIn(at: issuer)
        #expect(try await run("request", "POST", issuer.url, "--fail").status == 0)
        #expect(try await run("token", "refresh").status == 0)
        let methods = issuer.tokenRequests.map { (try? $0.value(for: "grant_type")) ?? nil }
        #expect(methods == ["authorization_code", "refresh_token"])
        let told = try await run("token", "show", "--json")
        #expect(!(told.output + told.errors).contains(SecretIssuer.secret))
        // Only their user may read the files, and the account itself has no secret.
        let state = directory.path + "/state/keybound"
        for name in try FileManager.default.subpathsOfDirectory(atPath: state) {
            let attributes = try FileManager.default.attributesOfItem(atPath: state + "/" + name)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode & 0o077 == 0, "\(name)")
            if name.hasSuffix("account.json") {
                let text = try String(contentsOfFile: state + "/" + name, encoding: .utf8)
                #expect(!text.contains(SecretIssuer.secret))
            }
        }
        await issuer.stop()
    }

    @Test func `tokens that are bound to no key have no key to show, attest or delete`() async throws {
        let issuer = try SecretIssuer()
        try await signIn(at: issuer)
        let listed = try await run("keys", "list")
        #expect(listed.output.hasPrefix("none  -  \(issuer.origin)  registered  "), Comment(rawValue: listed.output))
        for command in [["keys", "show"], ["keys", "attest"], ["proof", "make", "--url", issuer.url]] {
            let result = try await KeyboundProcess.run(command, in: directory)
            #expect(result.status == 1, "\(command)")
            #expect(result.errors == "keybound: the tokens of this account are bound to no key\n")
        }
        let deleted = try await run("keys", "delete")
        #expect(deleted.status == 0)
        #expect(
            deleted.errors
                == "the tokens of \(issuer.origin) are deleted; they were bound to no key, and the server was not contacted\n"
        )
        await issuer.stop()
    }

    @Test func `RFC 9449 section 5: logout says that a refresh token lives on which is bound to no key`() async throws {
        let issuer = try SecretIssuer()
        try await signIn(at: issuer)
        await issuer.stop()
        let ended = try await run("logout")
        #expect(ended.status == 3, Comment(rawValue: ended.errors))
        let hint =
            "hint: the access token stays valid until it expires; the refresh token stays valid until it expires or an "
            + "operator revokes the grant\n"
        #expect(ended.errors.hasSuffix(hint), Comment(rawValue: ended.errors))
    }

    @Test func `RFC 7009 section 2 1: a refresh token that the server sends again is not revoked by a second sign-in`()
        async throws
    {
        let issuer = try SecretIssuer()
        try await signIn(at: issuer)
        try await signIn(at: issuer)
        #expect(issuer.revocations.isEmpty)
        #expect(try await run("token", "refresh").status == 0)
        await issuer.stop()
        // Another one is revoked: the last sign-in needs it no more.
        let changing = try SecretIssuer(rotatesTokens: true)
        try await signIn(at: changing)
        try await signIn(at: changing)
        #expect(changing.revocations.compactMap { (try? $0.value(for: "token")) ?? nil }.contains("refresh-1"))
        await changing.stop()
    }

    @Test func `a registration that is gone means a new sign-in, and the command says for which server`() async throws {
        let issuer = try SecretIssuer()
        try await signIn(at: issuer)
        try FileManager.default.removeItem(atPath: directory.path + "/state/keybound/mcp")
        let refused = try await run("token", "refresh")
        #expect(refused.status == 4)
        #expect(refused.errors.contains("keybound login --mcp \(issuer.url)\n"), Comment(rawValue: refused.errors))
        #expect(issuer.tokenRequests.count == 1)
        try await signIn(at: issuer)
        #expect(try await run("token", "refresh").status == 0)
        await issuer.stop()
    }
}
