// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import HTTPMessage
import OAuthTransport
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("keybound login --mcp, and an MCP server in Python behind the gateway")
struct MCPGatewayTests {
    private static let program = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Examples/MCPGateway/server.py").standardizedFileURL.path
    private static let listNotes = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_notes"}}"#
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Starts the MCP server, and returns its port.
    private func startServer() async throws -> (ChildProcess, UInt16) {
        let port = FreePort.next()
        let server = try ChildProcess(
            "/usr/bin/env",
            ["python3", "-I", "-u", Self.program, "\(port)"],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"],
            directory: directory.path
        )
        while !server.outputSoFar.contains("ready"), !server.isSilent { try await Task.sleep(for: .milliseconds(5)) }
        return (server, port)
    }

    /// A message to the MCP server itself, as the proxy sends it for alice.
    private static func message(_ fields: [String], _ body: String) -> String {
        let head = ["POST /mcp HTTP/1.1", "Host: a", "X-Keybound-Subject: alice"] + fields
        return head.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    @Test func `the example reads one request of a connection, and none whose end is not certain`() async throws {
        let (server, port) = try await startServer()
        // What follows the request must not become another one, of another user.
        let hidden = Self.message(["Content-Length: \(Self.listNotes.utf8.count)"], Self.listNotes)
            .replacing("alice", with: "root")
        let length = "Content-Length: \(Self.listNotes.utf8.count)"
        let one = try await converse(port, Self.message([length], Self.listNotes + hidden))
        #expect(one.hasPrefix("HTTP/1.1 200") && one.contains("notes of alice"), Comment(rawValue: one))
        #expect(!one.contains("root") && one.contains("Connection: close"), Comment(rawValue: one))
        let refusals: [([String], Int)] = [
            (["Content-Length: 1048577"], 413), (["Content-Length: 99999999999999999999"], 413),
            (["Content-Length: -1"], 400), (["Content-Length: +2"], 400),
            (["Content-Length: 2", "Content-Length: 2"], 400),
            (["Transfer-Encoding: chunked"], 411), ([length, "Transfer-Encoding: chunked"], 411), ([], 411),
        ]
        for (fields, status) in refusals {
            let answer = try await converse(port, Self.message(fields, hidden))
            #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(fields): \(answer)")
            #expect(!answer.contains("notes of"), "\(fields): \(answer)")
        }
        server.kill()
        _ = await server.result()
    }

    @Test func `the example speaks the revisions it knows, and refuses pages of other origins`() async throws {
        let (server, port) = try await startServer()
        for (asked, given) in [("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25")] {
            let body = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"\#(asked)"}}"#
            let answer = try await converse(port, Self.message(["Content-Length: \(body.utf8.count)"], body))
            #expect(answer.contains(#""protocolVersion": "\#(given)""#), Comment(rawValue: answer))
        }
        let fields = ["Origin: https://evil.example", "Content-Length: \(Self.listNotes.utf8.count)"]
        let foreign = try await converse(port, Self.message(fields, Self.listNotes))
        #expect(foreign.hasPrefix("HTTP/1.1 403") && !foreign.contains("notes of"), Comment(rawValue: foreign))
        server.kill()
        _ = await server.result()
    }

    @Test func `the example runs behind nginx: found by its URL, and called with the name of the user`() async throws {
        let tool = try SignInTool(in: directory)
        let (server, upstream) = try await startServer()
        let port = FreePort.next()
        let (address, url) = ("http://127.0.0.1:\(port)", "http://127.0.0.1:\(port)/mcp")
        try directory.write(#"{"resources": {"\#(url)": {"scopes": ["notes:read"]}}}"#, to: "apis.json")
        let issuer = try await ServedIssuer(
            in: directory,
            options: [
                "--unencrypted-key-file", "--config", "apis.json", "--open-registration",
                "--unregistered-client-scope", "notes:read",
            ]
        )
        try await tool.register()
        let configuration = try await KeyboundProcess.run(
            [
                "gateway", "config", "nginx", "--api", address, "--upstream", "127.0.0.1:\(upstream)", "--gateway",
                "unix:\(directory.path)/gateway.sock",
            ],
            in: directory
        )
        #expect(configuration.status == 0, Comment(rawValue: configuration.errors))
        try directory.write(
            """
            { "listen": "unix:\(directory.path)/gateway.sock", "socketMode": "0666", "proxy": ["nginx"],
              "issuer": "\(issuer.issuer)", "allowInsecureLoopbackIssuer": true, "logFormat": "json", "logLevel": "info",
              "apis": [{ "address": "\(address)", "audience": "\(url)", "rules": [
                { "path": "/mcp", "methods": ["POST"], "scope": "notes:read" }
              ] }] }
            """,
            to: "gateway.json"
        )
        let gateway = try KeyboundProcess(["gateway", "--config", "gateway.json"], in: directory)
        _ = try await gateway.line(beginningWith: "listening")
        let proxy = try Proxy.nginx.start(configuration.output, in: directory)
        for _ in 0..<6000 where (try? RawConnection(port: port, timeout: 5)) == nil {
            try await Task.sleep(for: .milliseconds(10))
        }
        let bare = try await PlatformTransport().send(
            HTTPRequest(method: "POST", target: url, body: Array("{}".utf8)),
            maximumBodySize: 65_536
        )
        #expect(bare.status == 401)
        #expect(bare.fields["WWW-Authenticate"]?.contains("resource_metadata") == true)

        // Says what is wrong before a browser is waited for.
        let shown = try await KeyboundProcess.run(
            ["login", "--mcp", url, "--allow-insecure-loopback", "--unencrypted-key-file", "--print-url"],
            in: directory
        )
        try #require(shown.status == 0, Comment(rawValue: shown.errors))
        let signedIn = try await tool.signIn(at: nil, options: ["--mcp", url, "--unencrypted-key-file"], clientID: nil)
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        let called = try await KeyboundProcess.run(["request", "POST", url, "-d", Self.listNotes], in: directory)
        #expect(called.output.contains("water the plants"), Comment(rawValue: called.output + called.errors))
        #expect(!called.output.contains("notes of -"))
        // A proxy that is killed leaves its workers behind.
        proxy.terminate()
        _ = await proxy.result()
        server.kill()
        _ = await server.result()
        gateway.terminate()
        _ = await gateway.result()
        _ = await issuer.stop()
    }
}
#endif
