// SPDX-License-Identifier: Apache-2.0

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

@Suite("keybound: what operators decide about keys, logs and signatures")
struct OperatorChoiceTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["credential", "new", "wrong"] { try directory.write(Data(SystemEntropy().bytes(32)), to: name) }
    }

    private func run(_ arguments: [String]) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(arguments, in: directory)
    }

    private func get(_ issuer: String, _ path: String) async throws -> HTTPResponse {
        try await PlatformTransport().send(HTTPRequest(target: issuer + path), maximumBodySize: 1 << 20)
    }

    @Test func `keys server reseal: the same keys, with the new credential only, and done again as well`() async throws
    {
        let first = try await ServedIssuer(in: directory)
        let keys = try await get(first.issuer, "/jwks").body
        _ = await first.stop()
        let reseal = ["keys", "server", "reseal", "--key-credential-file", "credential", "--new-key-credential-file"]
        #expect(try await run(Array(reseal.dropLast())).status == 2)
        for _ in 1...2 {
            let result = try await run(reseal + ["new"])
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output == "1 key is encrypted with the credential in new\n")
        }
        #expect(try await run(reseal + ["missing"]).status == 5)
        // The old credential opens nothing any more.
        #expect(try await run(reseal + ["wrong"]).status == 5)
        let other = try await ServedIssuer(in: directory, options: ["--key-credential-file", "new"])
        #expect(try await get(other.issuer, "/jwks").body == keys)
        _ = await other.stop()
    }

    @Test(arguments: [
        (["--key-credential-file", "credential"], ["--unencrypted-key-file"]),
        (["--unencrypted-key-file"], ["--key-credential-file", "credential"]),
    ])
    func `keys that are stored in another way than the settings say are not to be deleted, but encrypted anew`(
        before: [String],
        after: [String]
    ) async throws {
        let first = try await ServedIssuer(in: directory, options: before)
        _ = await first.stop()
        let port = FreePort.next()
        let result = try await run(ServedIssuer.arguments(port: port, listen: port) + after)
        #expect(result.status == 5)
        #expect(result.errors.contains("keybound keys server reseal"), "\(result.errors)")
        #expect(result.errors.contains("--unencrypted-key-file"), "\(result.errors)")
        #expect(!result.errors.contains("sign in again"), "\(result.errors)")
        #expect(!result.errors.contains("delete"), "\(result.errors)")
        let reseal = ["keys", "server", "reseal"] + before + ["--new-key-credential-file", "new"]
        #expect(try await run(reseal).status == 0)
        let other = try await ServedIssuer(in: directory, options: ["--key-credential-file", "new"])
        _ = await other.stop()
    }

    @Test func `SIGHUP: the audit log goes on in a new file after the old one was renamed`() async throws {
        let port = FreePort.next()
        let process = try KeyboundProcess(
            ServedIssuer.arguments(port: port, listen: port) + ["--unencrypted-key-file", "--audit-log", "audit.log"],
            in: directory
        )
        _ = try await process.line(beginningWith: "protected")
        let issuer = "http://127.0.0.1:\(port)"
        func refuse() async throws {
            #expect(try await get(issuer, "/authorize?client_id=nobody").status == 400)
        }
        try await refuse()
        let (log, old) = (directory.path + "/audit.log", directory.path + "/audit.log.1")
        // Not just any line: if this one came after the new file was opened, the new file would never be seen empty.
        try await process.waitForFile(log) { $0.contains("request_refused") }
        try FileManager.default.moveItem(atPath: log, toPath: old)
        process.hangUp()
        try await process.waitForFile(log) { $0.isEmpty }
        let before = try Data(contentsOf: URL(fileURLWithPath: old))
        try await refuse()
        try await process.waitForFile(log) { $0.contains("request_refused") }
        #expect(try Data(contentsOf: URL(fileURLWithPath: old)) == before)
        process.terminate()
        #expect(await process.result().status == 0)
    }

    @Test func `signatures of assertions and request objects are what the operator says`() async throws {
        let options = [
            "--key-credential-file", "credential", "--client-assertion-algorithm", "ES256",
            "--client-assertion-algorithm",
            "ES384", "--request-object-algorithm", "PS256",
        ]
        let server = try await ServedIssuer(in: directory, options: options)
        let metadata = try await get(server.issuer, "/.well-known/oauth-authorization-server").body
        let object = try #require(try JSONValue(parsing: metadata).objectValue)
        #expect(object["token_endpoint_auth_signing_alg_values_supported"] == ["ES256", "ES384"])
        #expect(object["request_object_signing_alg_values_supported"] == ["PS256"])
        _ = await server.stop()
        for wrong in ["none", "HS256", "es256", ""] {
            let check = try await run([
                "serve", "--check", "--issuer", "https://a.example", "--request-object-algorithm", wrong,
            ])
            #expect(
                check.status == 2
                    && check.errors.contains("--request-object-algorithm names an unknown signature algorithm")
            )
        }
        let bad = [
            "serve", "--check", "--issuer", "https://a.example", "--profile", "fapi2", "--client-assertion-algorithm",
            "RS256",
        ]
        #expect(try await run(bad).status == 2)
    }

    @Test func `client add takes the algorithm of assertions, for clients that make any`() async throws {
        let key = try TestKey.p256(3).publicKey.json
        try directory.write(Data(JSONValue.object(["keys": [.object(key)]]).encoded()), to: "keys.json")
        let add = [
            "client", "add", "--id", "c", "--grant-type", "client_credentials", "--scope", "a", "--json",
            "--auth-signing-alg",
        ]
        let signed = ["--auth-method", "private_key_jwt", "--jwks", "keys.json"]
        #expect(try await run(add + ["HS256"] + signed).status == 2)
        #expect(try await run(add + ["ES256", "--auth-method", "client_secret_basic"]).status == 2)
        let added = try await run(add + ["ES256"] + signed)
        #expect(added.status == 0, "\(added.errors)")
        #expect(added.output.contains("\"token_endpoint_auth_signing_alg\""), "\(added.output)")
    }

    @Test func `what the listener refuses is counted and logged, without what was sent`() async throws {
        let port = FreePort.next()
        let process = try KeyboundProcess(
            ServedIssuer.arguments(port: port, listen: port)
                + ["--unencrypted-key-file", "--log-level", "info", "--metrics-listen", "127.0.0.1:0"],
            in: directory
        )
        let metrics = String(try await process.line(beginningWith: "metrics").split(separator: " ")[1])
        _ = try await process.line(beginningWith: "protected")
        _ = try await converse(port, "GET /SECRET HTTP/1.1\r\nHost: a\r\nHost: SECRET\r\n\r\n")
        let text = try await PlatformTransport().send(HTTPRequest(target: metrics), maximumBodySize: 1 << 20).body
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("keybound_listener_refusals_total{reason=\"400 ") })
        #expect(line.hasSuffix("} 1") && !line.contains("SECRET"))
        process.terminate()
        let errors = await process.result().errors
        #expect(errors.contains(" refused 400 127.0.0.1 ") && !errors.contains("SECRET"))
    }
}

extension KeyboundProcess {
    /// Waits until a file is there and holds what is awaited.
    fileprivate func waitForFile(_ path: String, _ isAwaited: (String) -> Bool) async throws {
        for _ in 0..<15_000 {
            if let text = try? String(contentsOfFile: path, encoding: .utf8), isAwaited(text) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw NeverSaid(text: path, errors: "")
    }
}
