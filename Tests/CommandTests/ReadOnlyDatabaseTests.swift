// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import HTTPMessage
import HTTPServer
import TestSupport
import Testing

@Suite("A database that cannot be written, and a server that is not ready")
struct ReadOnlyDatabaseTests {
    private let directory: TemporaryDirectory
    private let port: UInt16

    init() throws {
        directory = try TemporaryDirectory()
        port = FreePort.next()
        try directory.write(
            """
            { "issuer": "http://127.0.0.1:\(port)", "listen": "127.0.0.1:\(port)", "allowInsecureLoopbackIssuer": true,
              "unencryptedKeyFile": true, "dataDirectory": "\(directory.path)/data", "scopes": { "a": "read" } }
            """,
            to: "keybound.json"
        )
    }

    /// Runs a command as a user whom the mode of a file binds, for a minute at most.
    ///
    /// Root without two of its capabilities is such a user.
    private func run(_ words: [String], input: String = "") async throws -> KeyboundProcess.Result {
        let dropping = geteuid() == 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search" : ""
        return try await KeyboundProcess.run(
            words + ["--config", "keybound.json"],
            input: input,
            in: directory,
            through: #"exec timeout 60 \#(dropping) "$@""#
        )
    }

    /// Makes a database with signing keys, and takes the right to write it away.
    private func makeReadOnlyDatabase() async throws {
        let server = try KeyboundProcess(["serve", "--config", "keybound.json"], in: directory)
        _ = try await server.line(beginningWith: "listening")
        server.terminate()
        _ = await server.result()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o400],
            ofItemAtPath: directory.path + "/data/keybound.db"
        )
    }

    @Test func `a server does not start with it, and operators are told which file it is`() async throws {
        try await makeReadOnlyDatabase()
        for (words, input) in [
            (["serve"], ""), (["user", "list"], ""), (["user", "add", "ada", "--password-file", "-"], "correct horse"),
        ] {
            let result = try await run(words, input: input)
            #expect(result.status == 3, "\(words): \(result.errors)")
            #expect(
                result.errors.contains("the database \(directory.path)/data/keybound.db cannot be written"),
                "\(words): \(result.errors)"
            )
        }
    }

    @Test func `doctor reports it`() async throws {
        try await makeReadOnlyDatabase()
        let result = try await run(["doctor"])
        #expect(result.status == 1)
        let lines = result.output.split(separator: "\n")
        #expect(
            lines.contains { $0.hasPrefix("FAIL") && $0.contains(" files ") && $0.contains("cannot be written") },
            "\(result.output)"
        )
    }

    @Test func `doctor asks a running server whether it is ready`() async throws {
        let issuer = "http://127.0.0.1:\(port)"
        let server = try HTTPListener(port: port) { request in
            guard request.path == "/ready" else {
                return HTTPResponse(status: 200, body: Array(#"{"issuer":"\#(issuer)"}"#.utf8))
            }
            return HTTPResponse(status: 503, body: Array("the storage does not respond\n".utf8))
        }
        let result = try await run(["doctor"])
        await server.stop(draining: .zero)
        #expect(result.status == 1)
        #expect(result.output.contains("the server runs, on 127.0.0.1:\(port)"), "\(result.output)")
        #expect(
            result.output.contains("the server is not ready: 503 the storage does not respond"),
            "\(result.output)"
        )
    }
}
#endif
