// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
import OAuthClient
import StrictJSON
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("keybound login for a client with a secret or a key of its own")
struct ConfidentialSignInTests {
    private let directory: TemporaryDirectory
    private let tool: SignInTool

    init() throws {
        directory = try TemporaryDirectory()
        tool = try SignInTool(in: directory)
    }

    @Test(arguments: ["client_secret_basic", "client_secret_post"])
    func `a user signs in with a client that has a secret, and each command authenticates`(
        _ method: String
    ) async throws {
        let server = try await ServedIssuer(in: directory)
        try await tool.register()
        let added = try await run(
            "client",
            "add",
            "--id",
            "web",
            "--auth-method",
            method,
            "--redirect-uri",
            "http://127.0.0.1/callback",
            "--scope",
            ServedIssuer.scope,
            "--json",
            "--quiet"
        )
        let object = try JSONValue(parsing: Array(added.output.utf8)).objectValue
        let secret = try #require(object?["client_secret"]?.stringValue)
        try directory.write(secret + "\n", to: "secret")
        let signedIn = try await tool.signIn(
            at: server.issuer,
            options: ["--client-secret-file", "secret", "--auth-method", method, "--unencrypted-key-file"],
            clientID: "web"
        )
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        let refreshed = try await run("token", "refresh")
        #expect(refreshed.status == 0, Comment(rawValue: refreshed.errors))

        // The file is remembered, not what is in it.
        let account = ClientAccount(issuer: server.issuer, clientID: "web").identifier
        let stored = try directory.text(of: "state/keybound/accounts/\(account)/account.json")
        let path = try JSONValue(parsing: Array(stored.utf8)).objectValue?["client_auth_file"]?.stringValue
        #expect(path?.hasSuffix(directory.url.lastPathComponent + "/secret") == true && !stored.contains(secret))

        try directory.write("wrong", to: "secret")
        let refused = try await run("token", "refresh")
        #expect(refused.status == 1 && refused.errors.contains("invalid_client"), Comment(rawValue: refused.errors))
        #expect(refused.errors.contains("hint: the server does not know this client, or not its secret or key"))
        try FileManager.default.removeItem(atPath: directory.path + "/secret")
        let missing = try await run("token", "refresh")
        #expect(missing.status == 1 && missing.errors.contains("/secret: no such file or directory"))
        try directory.write(secret, to: "secret")
        #expect(try await run("logout").status == 0)
        _ = await server.stop()
    }

    /// Nothing is sent: nobody listens at the issuer.
    private func login(_ options: String...) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(
            [
                "login", "http://127.0.0.1:1", "--client-id", "web", "--allow-insecure-loopback",
                "--unencrypted-key-file",
            ] + options,
            in: directory
        )
    }

    @Test(arguments: [
        ("one\ntwo\n", "has more than one line"), ("", "is empty"), ("\n", "is empty"),
        ("\u{FEFF}secret", "begins with a byte order mark"),
        ("sécret", "has characters that are not allowed in a client secret"),
        ("a\tb", "has characters that are not allowed in a client secret"),
    ])
    func `a file that has no secret on a single line is rejected`(_ content: String, _ expected: String) async throws {
        try directory.write(content, to: "secret")
        let result = try await login("--client-secret-file", "secret")
        #expect(result.status == 1 && result.errors.contains(expected), Comment(rawValue: result.errors))
    }

    @Test(arguments: ["--client-secret-file", "--client-key-file"])
    func `a file that others may read is rejected, and so is what can be read only once`(_ option: String) async throws
    {
        try directory.write("secret", to: "secret")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644],
            ofItemAtPath: directory.path + "/secret"
        )
        let open = try await login(option, "secret")
        #expect(open.status == 1 && open.errors.contains("can be read by everybody (mode 0644)"))
        for passing in ["-", "/dev/stdin", "/dev/fd/7", "/proc/self/fd/7"] {
            let result = try await login(option, passing)
            #expect(result.status == 2 && result.errors.contains("\(option) needs a file that stays"))
        }
    }

    @Test(arguments: ["--client-secret-file", "--client-key-file"])
    func `attack: a secret in place of the path of its file is not repeated`(_ option: String) async throws {
        let secret = try await login(option, "kbs_MARK")
        #expect(secret.status == 1 && secret.errors.contains("it may be the secret itself"))
        #expect(!secret.errors.contains("MARK"), Comment(rawValue: secret.errors))
        // What leads into a directory that exists is surely a path.
        let path = try await login(option, "../missing")
        #expect(path.status == 1 && path.errors.contains("/../missing"), Comment(rawValue: path.errors))
    }

    @Test(arguments: [
        (["--client-secret-file", "secret", "--client-key-file", "secret"], "exclude each other"),
        (["--client-secret-file", "secret", "--attester", "https://attester.example"], "exclude each other"),
        (["--client-key-file", "secret", "--mcp", "https://mcp.example"], "exclude each other"),
        (["--auth-method", "client_secret_post"], "needs a client secret"),
        (["--client-secret-file", "secret", "--auth-method", "private_key_jwt"], "is not a way to send a secret"),
    ])
    func `what does not go together is said, with exit code 2`(_ options: [String], _ expected: String) async throws {
        try directory.write("secret", to: "secret")
        let result = try await KeyboundProcess.run(
            ["login", "http://127.0.0.1:1", "--client-id", "web", "--allow-insecure-loopback"] + options,
            in: directory
        )
        #expect(result.status == 2 && result.errors.contains(expected), Comment(rawValue: result.errors))
    }

    @Test func `an account remembers how its client authenticates, and a damaged record is no public client`() throws {
        var object = AccountRecord(
            account: ClientAccount(issuer: "https://auth.example", clientID: "web"),
            redirectURI: "http://127.0.0.1/callback",
            allowsInsecureLoopback: false,
            keyPlace: .clearFile
        ).json
        #expect(AccountRecord(stored: object)?.credential == nil)
        #expect(AccountRecord(stored: object)?.bindsRefreshToken == true)
        for (method, options) in [
            ("client_secret_basic", "--client-secret-file '/run/a b'"),
            ("client_secret_post", "--client-secret-file '/run/a b' --auth-method client_secret_post"),
            ("private_key_jwt", "--client-key-file '/run/a b'"),
        ] {
            object["client_auth_method"] = .string(method)
            object["client_auth_file"] = "/run/a b"
            let record = try #require(AccountRecord(stored: object))
            #expect(AccountRecord(stored: record.json)?.credential == record.credential)
            #expect(record.loginCommand() == "keybound login https://auth.example --client-id web " + options)
        }
        // RFC 9449 section 5: the refresh token of such a client is bound to the client, not to the key.
        #expect(AccountRecord(stored: object)?.bindsRefreshToken == false)
        object["client_auth_method"] = "something"
        #expect(AccountRecord(stored: object) == nil)
    }

    private func run(_ arguments: String...) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(arguments, in: directory)
    }
}
