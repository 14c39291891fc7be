// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import OAuthClient
import StrictJSON
import TestSupport
import Testing

@Suite("keybound login, and what goes wrong with keys")
struct KeyFaultTests {
    private let directory: TemporaryDirectory
    private let tool: SignInTool

    init() throws {
        directory = try TemporaryDirectory()
        tool = try SignInTool(in: directory)
    }

    private func run(_ arguments: String..., environment: [String: String]) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(arguments, in: directory, environment: environment)
    }

    private func serve() async throws -> ServedIssuer {
        let server = try await ServedIssuer(in: directory)
        try await tool.register()
        return server
    }

    private func expectSuccess(_ result: KeyboundProcess.Result) {
        #expect(result.status == 0, Comment(rawValue: result.errors))
    }

    private var accounts: [String] {
        let path = directory.path + "/state/keybound/accounts"
        return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    private func thumbprint(_ environment: [String: String]) async throws -> String? {
        let result = try await run("token", "show", "--json", environment: environment)
        return try JSONValue(parsing: Array(result.output.utf8)).objectValue?["jkt"]?.stringValue
    }

    @Test func `a TPM that was cleared after the sign-in means to sign in again, which works`() async throws {
        let server = try await serve()
        let tpm = try await SoftwareTPM(directory: directory.path + "/tpm")
        let environment = ["KEYBOUND_TPM": tpm.tcti]
        expectSuccess(try await tool.signIn(at: server.issuer, options: ["--key", "tpm"], environment: environment))
        expectSuccess(try await run("token", "refresh", environment: environment))
        let before = try await thumbprint(environment)

        try await tpm.expect("tpm2_clear -c p")
        let lost = try await run("token", "refresh", environment: environment)
        #expect(lost.status == 4, Comment(rawValue: lost.errors))
        #expect(lost.errors.contains("sign in again: keybound login"))
        #expect(try await thumbprint(environment) == before)

        expectSuccess(try await tool.signIn(at: server.issuer, options: [], environment: environment))
        expectSuccess(try await run("token", "refresh", environment: environment))
        #expect(try await thumbprint(environment) != before)
        _ = await server.stop()
    }

    @Test func `a TPM states what it holds for who gives a challenge, and nothing else does`() async throws {
        let server = try await serve()
        let tpm = try await SoftwareTPM(directory: directory.path + "/tpm")
        let environment = ["KEYBOUND_TPM": tpm.tcti]
        expectSuccess(try await tool.signIn(at: server.issuer, options: ["--key", "tpm"], environment: environment))
        let names = ["statement", "statement signature", "public area", "attestation key", "attestation key name"]
        let plain = try await run("keys", "attest", environment: environment)
        expectSuccess(plain)
        #expect(names.allSatisfy { !plain.output.contains($0) })
        let attested = try await run("keys", "attest", "--challenge", "AQIDBA", "--json", environment: environment)
        expectSuccess(attested)
        let facts = try #require(try JSONValue(parsing: Array(attested.output.utf8)).objectValue)
        for name in names { #expect(facts[name]?.stringValue?.isEmpty == false, "\(name)") }
        let statement = try Base64URL.decode(#require(facts["statement"]?.stringValue))
        #expect(Data(statement).range(of: Data([0, 4, 1, 2, 3, 4])) != nil)
        for wrong in ["", "AQIDBA==", String(repeating: "A", count: 44)] {
            #expect(try await run("keys", "attest", "--challenge", wrong, environment: environment).status == 2)
        }
        expectSuccess(try await run("logout", environment: environment))
        expectSuccess(try await tool.signIn(at: server.issuer, options: ["--unencrypted-key-file"], environment: [:]))
        let file = try await run("keys", "attest", "--challenge", "AQIDBA", environment: [:])
        #expect(file.status == 2)
        #expect(file.errors.hasPrefix("keybound: only a TPM can attest a key, and this key is not encrypted"))
        _ = await server.stop()
    }

    /// A token, and what `--key` is given for it.
    private func makeToken() async throws -> (token: SoftwareToken, options: [String]) {
        let token = try await SoftwareToken(in: directory.path, labels: ["mine"])
        let module = try await token.buildModule()
        try directory.write(SoftwareToken.pin, to: "pin")
        try directory.write("4321", to: "wrong")
        return (token, ["--key", "pkcs11:token=mine?module-path=\(module)"])
    }

    @Test func `a token that is taken out is waited for, in the middle of a sign-in and after it`() async throws {
        let server = try await serve()
        let (token, key) = try await makeToken()
        let options = key + ["--pin-file", "pin"]
        let interrupted = try await tool.signIn(
            at: server.issuer,
            options: options,
            environment: token.environment
        ) { try token.takeOut() }
        #expect(interrupted.status == 3, Comment(rawValue: interrupted.errors))
        try token.putBack()
        expectSuccess(try await tool.signIn(at: server.issuer, options: options, environment: token.environment))
        let before = try await thumbprint(token.environment)

        try token.takeOut()
        let out = try await run("token", "refresh", "--pin-file", "pin", environment: token.environment)
        #expect(out.status == 3, Comment(rawValue: out.errors))
        #expect(!out.errors.contains("sign in"))
        try token.putBack()
        expectSuccess(try await run("token", "refresh", "--pin-file", "pin", environment: token.environment))
        #expect(try await thumbprint(token.environment) == before)
        #expect(try await token.keys(in: "mine").count == 1)
        _ = await server.stop()
    }

    @Test func `a wrong PIN is given to the token once, is said once, and leaves nothing`() async throws {
        let server = try await serve()
        let (token, key) = try await makeToken()
        let arguments = SignInTool.arguments(at: server.issuer) + key
        let wrong = try await KeyboundProcess.run(
            arguments + ["--pin-file", "wrong"],
            in: directory,
            environment: token.environment
        )
        #expect(wrong.status == 5)
        #expect(wrong.errors == "keybound: the PIN is wrong: C_Login answered CKR_PIN_INCORRECT (0xa0)\n")
        #expect(token.loginCount == 1)
        #expect(accounts.isEmpty)
        #expect(try await token.keys(in: "mine").isEmpty)
        expectSuccess(
            try await tool.signIn(
                at: server.issuer,
                options: key + ["--pin-file", "pin"],
                environment: token.environment
            )
        )
        _ = await server.stop()
    }

    @Test(arguments: ["--unencrypted-key-file", "--passphrase-file=passphrase"])
    func `a disk that is full leaves nothing half-made, and the next sign-in works`(_ option: String) async throws {
        let server = try await serve()
        let full = try await KeyboundProcess.run(
            SignInTool.arguments(at: server.issuer) + [option],
            in: directory,
            environment: ["BROWSER": "/bin/true"],
            through: Self.limit(fileSize: 0)
        )
        #expect([1, 3].contains(full.status), Comment(rawValue: full.errors))
        #expect(full.errors.contains("keybound: "))
        for account in accounts {
            let path = directory.path + "/state/keybound/accounts/" + account
            let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
            for file in files where file.hasSuffix(".key") { Issue.record("\(file) is there") }
        }
        expectSuccess(try await tool.signIn(at: server.issuer, options: [option]))
        expectSuccess(try await run("token", "refresh", "--passphrase-file", "passphrase", environment: [:]))
        _ = await server.stop()
    }

    /// Starts the command so that no file gets more octets; writing more ends with an error, as on a disk that is full.
    private static func limit(fileSize: Int) -> String {
        "trap '' XFSZ; prlimit --fsize=\(fileSize) --pid $$; exec \"$@\""
    }

    /// The limits are those that what is written before the key still fits in.
    @Test(arguments: [
        (["--unencrypted-key-file"], 180), (["--passphrase-file", "passphrase"], 300), (["--key", "tpm"], 300),
    ])
    func `a disk that is full when the key is written leaves no account, and the next sign-in works`(
        _ options: [String],
        _ fileSize: Int
    ) async throws {
        let server = try await serve()
        let tpm = options == ["--key", "tpm"] ? try await SoftwareTPM(directory: directory.path + "/tpm") : nil
        let environment = tpm.map { ["KEYBOUND_TPM": $0.tcti] } ?? [:]
        // Without scopes, the record of the account is smaller than the smallest key file.
        let full = try await KeyboundProcess.run(
            SignInTool.arguments(at: server.issuer, scopes: []) + options,
            in: directory,
            environment: environment.merging(["BROWSER": "/bin/true"]) { $1 },
            through: Self.limit(fileSize: fileSize)
        )
        #expect(full.status == 3, Comment(rawValue: full.errors))
        #expect(full.errors.hasSuffix("keybound: cannot write a key file: file too large\n"))
        #expect(accounts.isEmpty)
        expectSuccess(try await tool.signIn(at: server.issuer, options: options, environment: environment))
        let passphrase = ["--passphrase-file", "passphrase"]
        expectSuccess(
            try await KeyboundProcess.run(
                ["token", "refresh"] + (options == passphrase ? passphrase : []),
                in: directory,
                environment: environment
            )
        )
        _ = await server.stop()
    }

    @Test func `of two that sign in at once the second is rejected, and there is one key`() async throws {
        let server = try await serve()
        let (token, key) = try await makeToken()
        let options = key + ["--pin-file", "pin"]
        let first = try await tool.signIn(at: server.issuer, options: options, environment: token.environment) {
            let second = try await KeyboundProcess.run(
                SignInTool.arguments(at: server.issuer) + options,
                in: directory,
                environment: token.environment
            )
            #expect(second.status == 3)
            #expect(second.errors.contains("another process holds the lock"))
        }
        expectSuccess(first)
        #expect(try await token.keys(in: "mine").count == 1)
        expectSuccess(try await run("token", "refresh", "--pin-file", "pin", environment: token.environment))
        _ = await server.stop()
    }
}
#endif
