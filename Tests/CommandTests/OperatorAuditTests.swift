// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@Suite("What is done with keys and the database is in the audit log")
struct OperatorAuditTests {
    private static let settings = """
        {
          "auditLog": "audit.log", "keyCredentialFile": "credential"
        }
        """
    private static let options = ["--config", "keybound.json"]

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["credential", "other"] { try directory.write(Data(SystemEntropy().bytes(32)), to: name) }
        try directory.write(Self.settings, to: "keybound.json")
    }

    private struct Event: Equatable {
        let name: String
        let detail: String
    }

    private func events() throws -> [Event] {
        try directory.text(of: "audit.log").split(separator: "\n").map { line in
            let object = try #require(try JSONValue(parsing: Array(line.utf8)).objectValue)
            return Event(name: object["event"]?.stringValue ?? "", detail: object["detail"]?.stringValue ?? "")
        }
    }

    private func run(_ words: String...) async throws {
        let result = try await KeyboundProcess.run(words + Self.options, in: directory)
        #expect(result.status == 0, "\(words): \(result.errors)")
    }

    @Test func `made, activated early and revoked keys, another credential and a copy, each once and by whom`()
        async throws
    {
        let server = try await ServedIssuer(in: directory, options: Self.options)
        var expected = ["signing_key_made"]
        // A server writes its log in the background.
        for _ in 0..<3000 where try events().isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try events().map(\.name) == expected)
        #expect(try events()[0].detail.hasPrefix("ES256 "))
        #expect(try events()[0].detail.hasSuffix(", signs in 0 s"))

        try await run("keys", "server", "rotate", "--now")
        expected += ["signing_key_made", "signing_key_activated"]
        #expect(try events().map(\.name) == expected)
        #expect(try events()[2].detail.contains(": ES256 "), "an operator is named")

        _ = await server.stop()

        try await run("db", "backup", "copy.sqlite")
        try await run("keys", "server", "rotate", "--now", "--revoke", "--yes")
        try await run("keys", "server", "reseal", "--new-key-credential-file", "other")
        expected += ["database_copied", "signing_keys_revoked", "signing_key_made", "signing_keys_resealed"]
        #expect(try events().map(\.name) == expected)
        #expect(try events()[3].detail.hasSuffix(": copy.sqlite"))
    }

    @Test func `proofs that a restart forgets are no way to run without nonces`() async throws {
        let arguments =
            ServedIssuer.arguments(port: 1, listen: 0) + ["--unencrypted-key-file", "--nonce-policy", "off"]
        let refused = try await KeyboundProcess.run(arguments, in: TemporaryDirectory())
        #expect(refused.status == 2, "\(refused)")
        #expect(
            refused.errors.contains("RFC 9449 section 11.1") && refused.errors.contains("set replayStore to database")
        )
        let checked = try await KeyboundProcess.run(arguments + ["--check"], in: TemporaryDirectory())
        #expect(checked.status == 2 && checked.output.contains("replay-memory-without-nonces"), "\(checked)")
        let shared = [
            "serve", "--check", "--issuer", "https://auth.example.com", "--unencrypted-key-file", "--nonce-policy",
            "off",
            "--replay-store", "database", "--listen", "0.0.0.0:8080",
        ]
        let warned = try await KeyboundProcess.run(shared, in: TemporaryDirectory())
        #expect(warned.status == 0 && warned.output.contains("listening-for-everybody"), "\(warned)")
        let named = try await KeyboundProcess.run(
            shared + ["--trusted-proxy", "10.0.0.1/32"],
            in: TemporaryDirectory()
        )
        #expect(named.status == 0 && !named.output.contains("listening-for-everybody"), "\(named)")
    }
}
#endif
