// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import HTTPServer
import JOSE
import OAuthClient
import StrictJSON
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("keybound login --client-credentials: a service without a user (RFC 6749 section 4.4)")
struct ServiceSignInTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `signs in, calls an API, gets new tokens by itself, and signs out`() async throws {
        let server = try await ServedIssuer(in: directory)
        let api = try ServedNotes.listen(for: server.issuer)
        let origin = "http://127.0.0.1:\(api.port)"
        let secret = try await register()
        try directory.write(secret, to: "secret")
        let signedIn = try await login(at: server.issuer)
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        #expect(signedIn.output == "signed in at \(server.issuer) as the client billing itself\n")
        let first = try await token()

        let read = try await run("request", "GET", origin + "/notes", "--fail", "--allow-origin", origin)
        #expect(read.status == 0 && read.output.contains("Water the plants"), Comment(rawValue: read.errors))
        #expect(try await token() == first)
        let shown = try await run("token", "show")
        #expect(shown.output.contains("none (the client itself is signed in)"))
        #expect(shown.output.contains("none (the client requests new tokens with its secret or key)"))
        let facts = try await JSONValue(parsing: Array(run("token", "show", "--json").output.utf8)).objectValue
        #expect(facts?["client_credentials"] == true && facts?["has_refresh_token"] == false)

        // RFC 6749 section 4.4.3: without a refresh token.
        try expire(at: server.issuer)
        let later = try await run("request", "GET", origin + "/notes", "--fail")
        #expect(later.status == 0 && later.output.contains("Water the plants"), Comment(rawValue: later.errors))
        let second = try await token()
        #expect(second != first)
        #expect(try await run("request", "GET", origin + "/notes", "--fail").status == 0)
        #expect(try await token() == second)
        let refreshed = try await run("token", "refresh")
        #expect(refreshed.status == 0 && refreshed.output.hasPrefix("got a new access token; it expires"))
        #expect(try await token() != second)

        let user = try await run("userinfo")
        #expect(user.status == 1)
        #expect(user.errors.hasPrefix("keybound: there is no user: the client billing itself is signed in\n"))

        let ended = try await run("logout")
        #expect(ended.status == 0 && ended.errors == "signed out of \(server.issuer)\n")
        #expect(try await run("request", "GET", origin + "/notes").status == 4)
        let accounts = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/state/keybound/accounts")
        #expect(accounts.isEmpty)
        await api.stop(draining: .zero)
        _ = await server.stop()
    }

    @Test func `logout forgets the account although it cannot authenticate, and says that the token lives on`()
        async throws
    {
        let server = try await ServedIssuer(in: directory)
        try directory.write(try await register(), to: "secret")
        #expect(try await login(at: server.issuer).status == 0)
        try FileManager.default.removeItem(atPath: directory.path + "/secret")
        let ended = try await run("logout")
        #expect(ended.status == 1)
        #expect(ended.errors.contains("keybound: the server could not revoke the tokens: cannot read "))
        #expect(ended.errors.hasSuffix("hint: the access token stays valid until it expires\n"))
        #expect(try await run("token", "show").status == 4)
        _ = await server.stop()
    }

    @Test func `a secret that is exchanged, by its link too, counts at once`() async throws {
        let server = try await ServedIssuer(in: directory)
        try directory.write(try await register(), to: "first")
        let link = directory.path + "/secret"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "first")
        #expect(try await login(at: server.issuer).status == 0)
        // The secret before the newest one stays good.
        _ = try await newSecret()
        let newest = try await newSecret()
        let refused = try await run("token", "refresh")
        #expect(refused.status == 1 && refused.errors.contains("invalid_client"), Comment(rawValue: refused.errors))
        #expect(refused.errors.contains("hint: the server does not know this client, or not its secret or key"))

        try directory.write(newest, to: "second")
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "second")
        let refreshed = try await run("token", "refresh")
        #expect(refreshed.status == 0, Comment(rawValue: refreshed.errors))
        _ = await server.stop()
    }

    @Test func `a wrong secret signs nobody in, and leaves an account as it was`() async throws {
        let server = try await ServedIssuer(in: directory)
        let secret = try await register()
        try directory.write("wrong", to: "secret")
        let refused = try await login(at: server.issuer)
        #expect(refused.status == 1 && refused.errors.contains("invalid_client"), Comment(rawValue: refused.errors))
        #expect(try await run("token", "show").status == 4)

        try directory.write(secret, to: "good")
        #expect(try await login(at: server.issuer, secretFile: "good").status == 0)
        // Stored tokens that are still good do not hide that the new secret is not.
        #expect(try await login(at: server.issuer).status == 1)
        let refreshed = try await run("token", "refresh")
        #expect(refreshed.status == 0, Comment(rawValue: refreshed.errors))
        _ = await server.stop()
    }

    @Test func `damaged tokens do not keep a service from a new sign-in`() async throws {
        let server = try await ServedIssuer(in: directory)
        try directory.write(try await register(), to: "secret")
        #expect(try await login(at: server.issuer).status == 0)
        let account = ClientAccount(issuer: server.issuer, clientID: "billing").identifier
        try directory.write("", to: "state/keybound/accounts/\(account)/tokens.json")
        let again = try await login(at: server.issuer)
        #expect(again.status == 0, Comment(rawValue: again.errors))
        #expect(try await run("token", "refresh").status == 0)
        _ = await server.stop()
    }

    @Test func `a public client, and one that is not registered for it, are rejected`() async throws {
        let server = try await ServedIssuer(in: directory)
        let tool = try SignInTool(in: directory)
        try await tool.register()
        try directory.write("a secret that it does not have", to: "secret")
        let asPublic = try await login(at: server.issuer, clientID: "tool")
        #expect(asPublic.status == 1 && asPublic.errors.contains("invalid_client"), Comment(rawValue: asPublic.errors))

        let ofUsers = ["--grant-type", "authorization_code", "--redirect-uri", "http://127.0.0.1/callback"]
        try directory.write(try await register(ofUsers), to: "secret")
        let other = try await login(at: server.issuer)
        #expect(other.status == 1 && other.errors.contains("unauthorized_client"), Comment(rawValue: other.errors))
        #expect(other.errors.contains("such as client_credentials for --client-credentials"))
        _ = await server.stop()
    }

    @Test func `a service authenticates with a key in a file`() async throws {
        let server = try await ServedIssuer(in: directory)
        let vector = try #require(PeerVector.accepted.first { $0.description == "ES256" })
        var key = vector.jwk
        key["kid"] = "2026-01"
        try directory.write(JSONValue.object(["keys": [.object(key)]]).text, to: "keys.json")
        key["d"] = .string(Base64URL.encode(vector.privateKey))
        try directory.write(JSONValue.object(key).text, to: "key.json")
        let added = try await run(
            "client",
            "add",
            "--id",
            "billing",
            "--auth-method",
            "private_key_jwt",
            "--jwks",
            "keys.json",
            "--grant-type",
            "client_credentials",
            "--scope",
            ServedIssuer.scope
        )
        #expect(added.status == 0, Comment(rawValue: added.errors))
        let signedIn = try await login(at: server.issuer, credential: ["--client-key-file", "key.json"])
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        try expire(at: server.issuer)
        #expect(try await run("token", "refresh").status == 0)
        #expect(try await run("logout").status == 0)
        _ = await server.stop()
    }

    @Test func `the token is for the API that was named, and so is the next one`() async throws {
        let slot = LateBoundHandler()
        let api = try HTTPListener(port: 0, handler: slot.respond)
        let resource = "http://127.0.0.1:\(api.port)"
        try directory.write(
            """
            {"resources": {"\(resource)": {"scopes": ["\(ServedIssuer.scope)"]}}}
            """,
            to: "apis.json"
        )
        let server = try await ServedIssuer(
            in: directory,
            options: ["--unencrypted-key-file", "--config", "apis.json"]
        )
        try ServedNotes.answer(slot, of: server.issuer, at: resource, for: resource)
        try directory.write(try await register(), to: "secret")
        let signedIn = try await login(at: nil, credential: ["--client-secret-file", "secret", "--api", resource])
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        #expect(try await run("request", "GET", resource + "/notes", "--fail").status == 0)
        try expire(at: server.issuer)
        #expect(try await run("request", "GET", resource + "/notes", "--fail").status == 0)
        let claims = try CompactJWS(parsing: await token()).payloadObject()
        #expect(claims["aud"]?.stringValue == resource)
        await api.stop(draining: .zero)
        _ = await server.stop()
    }

    @Test(
        arguments: [
            ([], "is for a client with a secret or a key of its own"),
            (["--client-secret-file", "secret", "--device"], "exclude each other"),
            (["--client-secret-file", "secret", "--print-url"], "exclude each other"),
            (["--client-secret-file", "secret", "--answer"], "exclude each other"),
            (["--client-secret-file", "secret", "--redirect-uri", "http://127.0.0.1/callback"], "exclude each other"),
        ] as [([String], String)]
    )
    func `what does not go together is said, with exit code 2`(_ options: [String], _ expected: String) async throws {
        try directory.write("secret", to: "secret")
        let result = try await login(at: "http://127.0.0.1:1", credential: options)
        #expect(result.status == 2 && result.errors.contains(expected), Comment(rawValue: result.errors))
    }

    /// Registers the client `billing`, and gives back its secret.
    private func register(_ more: [String] = ["--grant-type", "client_credentials"]) async throws -> String {
        let words = [
            "client", "add", "--id", "billing", "--auth-method", "client_secret_basic", "--scope", ServedIssuer.scope,
            "--json", "--quiet",
        ]
        return try secret(in: await KeyboundProcess.run(words + more, in: directory))
    }

    private func newSecret() async throws -> String {
        try secret(in: await run("client", "secret", "new", "billing", "--json", "--quiet"))
    }

    private func secret(in result: KeyboundProcess.Result) throws -> String {
        try #require(result.status == 0, Comment(rawValue: result.errors))
        let object = try JSONValue(parsing: Array(result.output.utf8)).objectValue
        return try #require(object?["client_secret"]?.stringValue)
    }

    private func login(
        at issuer: String?,
        clientID: String = "billing",
        secretFile: String
    ) async throws -> KeyboundProcess.Result {
        try await login(at: issuer, clientID: clientID, credential: ["--client-secret-file", secretFile])
    }

    private func login(
        at issuer: String?,
        clientID: String = "billing",
        credential: [String] = ["--client-secret-file", "secret"]
    ) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(
            ["login"] + (issuer.map { [$0] } ?? [])
                + [
                    "--client-id", clientID, "--client-credentials", "--scope", ServedIssuer.scope,
                    "--allow-insecure-loopback", "--unencrypted-key-file",
                ] + credential,
            in: directory
        )
    }

    private func token() async throws -> String {
        let shown = try await run("token", "show", "--reveal")
        return String(shown.output.prefix { !$0.isWhitespace })
    }

    /// As if the time of the stored access token were over.
    private func expire(at issuer: String) throws {
        let account = ClientAccount(issuer: issuer, clientID: "billing").identifier
        let file = "state/keybound/accounts/\(account)/tokens.json"
        let content = try JSONValue(parsing: Array(directory.text(of: file).utf8)).objectValue
        var stored = try #require(content)
        stored["expires_at"] = 1
        try directory.write(JSONValue.object(stored).text, to: file)
    }

    private func run(_ arguments: String...) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(arguments, in: directory)
    }
}

extension JSONValue {
    fileprivate var text: String { String(decoding: encoded(), as: UTF8.self) }
}
