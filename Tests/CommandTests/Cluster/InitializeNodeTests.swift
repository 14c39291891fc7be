// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import PostgreSQLServer
import StrictJSON
import TestSupport
import Testing

/// From a database that several nodes share to a node that signs somebody in, and to a second one.
@Suite("keybound init for a node on PostgreSQL", .disabled(if: PostgreSQLDatabases.areLeftOut))
struct InitializeNodeTests {
    private let directory: TemporaryDirectory
    private let tool: SignInTool
    private let port = FreePort.next()

    private var issuer: String { "http://127.0.0.1:\(port)" }

    init() throws {
        directory = try TemporaryDirectory()
        tool = try SignInTool(in: directory)
    }

    /// Sets a node up in a directory of its own.
    private func initialize(
        _ node: String,
        at port: UInt16,
        _ database: String,
        _ words: [String] = [],
        data: String? = nil
    ) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(
            ["init", "--config", "\(node)/keybound.json", "--data-directory", data ?? "\(node)/data", "--no-questions"]
                + ["--issuer", issuer, "--allow-insecure-loopback-issuer", "--listen", "127.0.0.1:\(port)"]
                + ["--metrics-listen", "127.0.0.1:\(FreePort.next())", "--trusted-proxy", "127.0.0.2"]
                + ["--database", database, "--scope", "notes:read=read your notes"]
                + (getuid() == 0 ? ["--run-as", "root"] : []) + words,
            in: directory
        )
    }

    private func isThere(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: directory.path + "/" + name)
    }

    @Test func `the second node needs the credential of the first, and then serves the same sessions`() async throws {
        let account = ["--user", "ada", "--password-file", "password", "--client", "tool"]
        try await PostgreSQLDatabases.shared.withDatabase { database async throws in
            let first = try await initialize("first", at: port, database, account)
            #expect(first.status == 0, Comment(rawValue: first.errors))
            #expect(first.errors.contains("first/keybound-key to every other node, and to where you keep passwords"))
            let settings = try JSONValue(parsing: Array(directory.text(of: "first/keybound.json").utf8)).objectValue
            #expect(settings?["database"]?.stringValue == database)
            #expect(settings?["trustedProxies"]?.arrayValue?.compactMap(\.stringValue) == ["127.0.0.2"])
            let server = try KeyboundProcess(["serve", "--config", "first/keybound.json"], in: directory)
            _ = try await server.line(beginningWith: "listening")
            let signedIn = try await tool.signIn(at: issuer, options: ["--unencrypted-key-file"])
            #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))

            let other = FreePort.next()
            let refused = try await initialize("second", at: other, database)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("the database has the signing keys of another node"))
            #expect(refused.errors.contains("second/keybound-key to open them with"))
            #expect(!isThere("second"))
            try FileManager.default.createDirectory(
                atPath: directory.path + "/second",
                withIntermediateDirectories: false
            )
            try FileManager.default.copyItem(
                atPath: directory.path + "/first/keybound-key",
                toPath: directory.path + "/second/keybound-key"
            )
            let second = try await initialize("second", at: other, database, account)
            #expect(second.status == 0, Comment(rawValue: second.errors))
            #expect(second.errors.contains("there is    the user ada: it stays as it is"))
            server.terminate()
            _ = await server.result()

            // In the place of the first, the second knows its keys and its tokens.
            let node = try KeyboundProcess(
                ["serve", "--config", "second/keybound.json", "--listen", "127.0.0.1:\(port)"],
                in: directory
            )
            _ = try await node.line(beginningWith: "listening")
            let refreshed = try await KeyboundProcess.run(["token", "refresh"], in: directory)
            #expect(refreshed.status == 0, Comment(rawValue: refreshed.errors))
            node.terminate()
            _ = await node.result()
        }
    }

    @Test func `a closed place, or a database without tables or none, is said before anything is written`() async throws
    {
        let server = try await PostgreSQLServer()
        try await server.start()
        let empty = try await initialize("node", at: port, server.address(of: "postgres"))
        #expect(empty.status != 0 && empty.errors.contains("run keybound db migrate"), Comment(rawValue: empty.errors))
        // Root may write anywhere, and makes no directory above that of the data.
        let place = getuid() == 0 ? "missing/data" : "/etc/keybound-test/data"
        let reason = getuid() == 0 ? "missing for the data" : "cannot write to /etc"
        let closed = try await initialize("node", at: port, server.address(of: "postgres"), data: place)
        #expect(closed.status == 1 && closed.errors.contains(reason), Comment(rawValue: closed.errors))
        #expect(!isThere("node"))
        await server.remove()
        let away = try await initialize("node", at: port, "postgresql://ada@127.0.0.1:\(FreePort.next())/keybound")
        #expect(away.status == 3, Comment(rawValue: away.errors))
        #expect(!isThere("node"))
    }
}
#endif
