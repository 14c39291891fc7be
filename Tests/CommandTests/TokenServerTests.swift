// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTransport
import StrictJSON
import TestSupport
import Testing

@Suite("keybound serve with keys in a PKCS #11 token")
struct TokenServerTests {
    private let directory: TemporaryDirectory
    private let tool: SignInTool
    private let token: SoftwareToken
    /// What names the token.
    private let place: [String]
    private let settings: [String]

    init() async throws {
        directory = try TemporaryDirectory()
        tool = try SignInTool(in: directory)
        token = try await SoftwareToken(in: directory.path, labels: ["hsm"])
        let module = try await token.buildModule()
        try directory.write(SoftwareToken.pin, to: "pin")
        try directory.write("4321", to: "wrong")
        place = ["--signing-keys", "pkcs11:token=hsm?module-path=\(module)"]
        settings = place + ["--signing-keys-pin-file", "pin"]
    }

    private func start(_ more: [String] = []) async throws -> ServedIssuer {
        // The keys are looked at twice a second.
        let quick = ["--key-rotation", "1h", "--key-publication", "4s"]
        return try await ServedIssuer(in: directory, options: settings + quick + more, environment: token.environment)
    }

    private func run(_ arguments: [String]) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(arguments, in: directory, environment: token.environment)
    }

    /// A start that ends by itself.
    private func start(with settings: [String]) async throws -> KeyboundProcess.Result {
        try await run(ServedIssuer.arguments(port: 1, listen: 0) + settings)
    }

    private func get(_ issuer: String, _ path: String) async throws -> HTTPResponse {
        try await PlatformTransport().send(HTTPRequest(target: issuer + path), maximumBodySize: 1 << 20)
    }

    private func published(_ issuer: String) async throws -> [String] {
        let document = try JSONValue(parsing: await get(issuer, "/jwks").body).objectValue
        return try JWKSet(parsing: #require(document)).keys.compactMap(\.keyID)
    }

    private func ready(_ issuer: String, is status: Int) async throws -> HTTPResponse {
        for _ in 0..<3000 {
            let response = try await get(issuer, "/ready")
            if response.status == status { return response }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw KeyboundProcess.NeverSaid(text: "status \(status) at /ready", errors: "")
    }

    private func signIn(at issuer: String) async throws {
        let result = try await tool.signIn(at: issuer, options: ["--unencrypted-key-file"])
        #expect(result.status == 0, Comment(rawValue: result.errors))
    }

    @Test func `service and operator lock the token beside the database, as their /tmp may differ`() async throws {
        let lock = directory.path + "/data/pkcs11-lock"
        let data = ["--data-directory", "data"]
        let server = try await start(data)
        #expect(await server.stop().status == 0)
        #expect(FileManager.default.fileExists(atPath: lock))
        try FileManager.default.removeItem(atPath: lock)
        let rotated = try await run(["keys", "server", "rotate", "--now"] + settings + data)
        #expect(rotated.status == 0, Comment(rawValue: rotated.errors))
        #expect(FileManager.default.fileExists(atPath: lock))
    }

    @Test func `signs access tokens and id_tokens there, waits while it is out, and goes on when it is back`()
        async throws
    {
        let server = try await start(["--scope", "openid"])
        let keys = try await published(server.issuer)
        #expect(keys.count == 2)
        let labels = try await token.keys(in: "hsm")
        #expect(
            labels.map { $0.split(separator: "-").prefix(3).joined(separator: "-") }
                == ["keybound-signs-es256", "keybound-signs-rs256"]
        )
        try await tool.register()
        try await signIn(at: server.issuer)
        let before = try await run(["token", "refresh"])
        #expect(before.status == 0, Comment(rawValue: before.errors))

        try token.takeOut()
        let unready = try await ready(server.issuer, is: 503)
        #expect(String(decoding: unready.body, as: UTF8.self) == "the keys that sign tokens cannot be used\n")
        #expect(try await get(server.issuer, "/health").status == 200)
        #expect(try await published(server.issuer) == keys)
        let refused = try await run(["token", "refresh"])
        #expect(refused.status == 3, Comment(rawValue: refused.errors))

        try token.putBack()
        _ = try await ready(server.issuer, is: 200)
        // The server said when the next request may come, and the command keeps to that.
        var after = try await run(["token", "refresh"])
        while after.errors.contains("no refresh is sent yet") { after = try await run(["token", "refresh"]) }
        #expect(after.status == 0, Comment(rawValue: after.errors))
        let stopped = await server.stop()
        #expect(stopped.output.contains("protected  in the PKCS #11 token of label 'hsm'\n"))
        #expect(stopped.errors.contains("this is over"))
        #expect(!stopped.errors.contains(SoftwareToken.pin + "\n"))
    }

    @Test func `what it signs id_tokens with there verifies with the keys that it publishes`() async throws {
        let server = try await start(["--scope", "openid"])
        try await tool.register(scope: "openid " + ServedIssuer.scope)
        let signedIn = try await tool.signIn(
            at: server.issuer,
            options: ["--scope", "openid", "--unencrypted-key-file"]
        )
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        let token = try idToken()
        let keys = try JWKSet(parsing: #require(JSONValue(parsing: await get(server.issuer, "/jwks").body).objectValue))
        let header = try CompactJWS(parsing: token).header
        #expect(header["alg"] == "RS256")
        let keyID = try #require(header["kid"]?.stringValue)
        let validation = JWTValidation.idToken(
            issuer: server.issuer,
            clientID: "tool",
            nonce: nil,
            algorithms: [.rs256]
        )
        let now = SystemWallClock().now()
        _ = try validation.validate(token, with: keys, at: now)
        let others = JWKSet(keys.keys.filter { $0.keyID != keyID })
        #expect(others.keys.count == keys.keys.count - 1)
        #expect(throws: JOSEError.self) { try validation.validate(token, with: others, at: now) }
        let stopped = await server.stop()
        #expect(stopped.output.contains(", RS256\n"))
    }

    /// The id_token that the command has stored.
    private func idToken() throws -> String {
        let accounts = directory.path + "/state/keybound/accounts"
        let names = try FileManager.default.contentsOfDirectory(atPath: accounts)
        let name = try #require(names.first { FileManager.default.fileExists(atPath: "\(accounts)/\($0)/tokens.json") })
        let stored = try Data(contentsOf: URL(fileURLWithPath: "\(accounts)/\(name)/tokens.json"))
        let members = try #require(try JSONValue(parsing: Array(stored)).objectValue)
        return try #require(members["id_token"]?.objectValue?["raw"]?.stringValue)
    }

    /// What a server takes its PIN from: options, variables, and the command of a shell that starts it.
    private struct PINSource: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var options: [String] = []
        var credentials: String?
        var command: String?
    }

    private static let sources = [
        PINSource(
            testDescription: "a descriptor",
            options: ["--signing-keys-pin-fd", "3"],
            command: #"exec "$@" 3< <(cat pin)"#
        ),
        PINSource(testDescription: "the credential of the standard name", credentials: "keybound-pin"),
        PINSource(
            testDescription: "another credential",
            options: ["--signing-keys-pin-credential", "hsm"],
            credentials: "hsm"
        ),
    ]

    @Test(arguments: sources)
    private func `takes the PIN from`(_ source: PINSource) async throws {
        var environment = token.environment
        if let name = source.credentials {
            // As systemd does it: a directory and files that only the user of the service may read.
            let path = directory.path + "/credentials"
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            try directory.write(SoftwareToken.pin + "\n", to: "credentials/" + name)
            environment["CREDENTIALS_DIRECTORY"] = path
        }
        let server = try await ServedIssuer(
            in: directory,
            options: place + source.options,
            environment: environment,
            through: source.command
        )
        #expect(try await published(server.issuer).count == 1)
        #expect(try await token.keys(in: "hsm").count == 1)
        // The token wants the PIN again, which a descriptor gives only once.
        try token.takeOut()
        _ = try await ready(server.issuer, is: 503)
        try token.putBack()
        _ = try await ready(server.issuer, is: 200)
        #expect(token.loginCount == 2)
        let stopped = await server.stop()
        #expect(!(stopped.output + stopped.errors).contains(SoftwareToken.pin + "\n"))
    }

    @Test func `a PIN that is not there stops the start, and the token is not asked`() async throws {
        let descriptor = place + ["--signing-keys-pin-fd", "3"]
        let arguments = ServedIssuer.arguments(port: 1, listen: 0)
        for (command, status) in [(#"exec "$@" 3</dev/null"#, Int32(5)), (#"exec "$@" 3<&-"#, 2)] {
            let result = try await KeyboundProcess.run(
                arguments + descriptor,
                in: directory,
                environment: token.environment,
                through: command
            )
            #expect(result.status == status, Comment(rawValue: "\(command): \(result.errors)"))
        }
        let credential = try await start(with: place + ["--signing-keys-pin-credential", "hsm"])
        #expect(credential.status == 2)
        #expect(credential.errors.contains("there is no $CREDENTIALS_DIRECTORY"))
        #expect(credential.errors.contains("LoadCredentialEncrypted=hsm"))
        let none = try await start(with: place)
        #expect(none.status == 5, Comment(rawValue: none.errors))
        #expect(token.loginCount == 0)
    }

    @Test func `an operator sees where keys live, and a revoked key is deleted from the token`() async throws {
        let server = try await start()
        let keys = try await published(server.issuer)
        let labels = try await token.keys(in: "hsm")
        let listed = try await run(["keys", "server", "list"])
        #expect(
            listed.output.hasSuffix("  \(try #require(keys.first))  in the token as \(try #require(labels.first))\n")
        )
        let shown = try await run(["keys", "server", "show", "--"] + keys)
        #expect(shown.output.contains("kept       in the PKCS #11 token, as \(try #require(labels.first))\n"))

        // Without the token nobody adds a key, and with it the next one is made there.
        #expect(try await run(["keys", "server", "rotate", "--now", "--unencrypted-key-file"]).status == 5)
        let rotated = try await run(["keys", "server", "rotate", "--now"] + settings)
        #expect(rotated.status == 0, Comment(rawValue: rotated.errors))
        #expect(try await token.keys(in: "hsm").count == 2)
        let revoked = try await run(["keys", "server", "rotate", "--now", "--revoke", "--yes"] + settings)
        #expect(revoked.status == 0, Comment(rawValue: revoked.errors))
        let left = try await token.keys(in: "hsm")
        #expect(left.count == 1)
        #expect(Set(left).isDisjoint(with: labels))
        _ = await server.stop()
        let again = try await start()
        #expect(try await Set(published(again.issuer)).isDisjoint(with: keys))
        _ = await again.stop()
    }

    @Test func `several that start at the same time make one key, and leave no other in the token`() async throws {
        let port = FreePort.next()
        let processes = try (0..<3).map { _ in
            try KeyboundProcess(
                ServedIssuer.arguments(port: port, listen: 0) + settings + ["--json"],
                in: directory,
                environment: token.environment
            )
        }
        var thumbprints: Set<String> = []
        for process in processes {
            _ = try await process.line(beginningWith: "}")
            process.terminate()
            let facts = try JSONValue(parsing: Array(await process.result().output.utf8)).objectValue
            // SoftHSM does not say that it is hardware.
            #expect(facts?["key_protection"] == "os-protected")
            thumbprints.insert(try #require(facts?["jkt"]?.stringValue))
        }
        #expect(thumbprints.count == 1)
        #expect(try await token.keys(in: "hsm").count == 1)
    }

    @Test func `keys of the database go on beside those of the token until they are over`() async throws {
        let first = try await ServedIssuer(in: directory)
        let old = try await published(first.issuer)
        _ = await first.stop()
        let locked = try await start(with: settings)
        #expect(locked.status == 5)
        #expect(locked.errors.contains("nothing says what it is encrypted with"))
        let credential = ["--key-credential-file", "credential"]
        let moving = try await start(credential)
        #expect(try await published(moving.issuer).first == old.first)
        let moved = await moving.stop()
        #expect(moved.output.contains("protected  in the database until "), "\(moved.output)")
        #expect(moved.output.contains("; the next key is in the PKCS #11 token of label 'hsm'\n"), "\(moved.output)")
        #expect(moved.errors.contains("keybound keys server rotate --now signs with a key of the token at once"))
        let rotated = try await run(["keys", "server", "rotate", "--now"] + settings + credential)
        #expect(rotated.status == 0, Comment(rawValue: rotated.errors))
        let server = try await start(credential)
        let both = try await published(server.issuer)
        #expect(both.count == 2)
        #expect(both.last == old.first)
        #expect(try await token.keys(in: "hsm").count == 1)
        let stopped = await server.stop()
        #expect(stopped.output.contains("protected  in the PKCS #11 token of label 'hsm'; earlier keys encrypted"))
    }

    @Test func `a key that vanished stops the start, and no other takes its place`() async throws {
        _ = try await start().stop()
        let label = try #require(try await token.keys(in: "hsm").first)
        try await token.tool("hsm", ["--delete-object", "--type", "privkey", "--label", label])
        let refused = try await start(with: settings)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("keys server rotate --now --revoke"))
        #expect(try await token.keys(in: "hsm").isEmpty)
        let revoked = try await run(["keys", "server", "rotate", "--now", "--revoke", "--yes"] + settings)
        #expect(revoked.status == 0, Comment(rawValue: revoked.errors))
        _ = try await start().stop()
    }

    @Test func `a token that is out, and a wrong PIN, which is given once, stop the start`() async throws {
        try token.takeOut()
        #expect(try await start(with: settings).status == 3)
        try token.putBack()
        let before = token.loginCount
        let wrong = try await start(with: settings.dropLast() + ["wrong"])
        #expect(wrong.status == 5)
        #expect(wrong.errors == "keybound: the PIN is wrong: C_Login answered CKR_PIN_INCORRECT (0xa0)\n")
        #expect(token.loginCount == before + 1)
        #expect(try await token.keys(in: "hsm").isEmpty)
    }

    @Test func `a check opens nothing`() async throws {
        try token.takeOut()
        let result = try await start(with: settings + ["--check"])
        #expect(result.status == 0, Comment(rawValue: result.errors))
        #expect(!result.errors.contains("systemd"))
        #expect(token.loginCount == 0)
    }
}
#endif
