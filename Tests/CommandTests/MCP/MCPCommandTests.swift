// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthTransport
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("keybound login --mcp, and the example server")
struct MCPCommandTests {
    private static let listNotes = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_notes"}}"#
    private static let addNote = #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add_note"}}"#
    private let directory: TemporaryDirectory
    private let tool: SignInTool
    private let port = FreePort.next()

    init() throws {
        directory = try TemporaryDirectory()
        tool = try SignInTool(in: directory)
    }

    private var url: String { "http://127.0.0.1:\(port)/mcp" }

    /// An authorization server that knows the MCP server, and lets unknown clients in.
    private func serve(_ options: [String] = []) async throws -> ServedIssuer {
        try directory.write(
            """
            {"resources": {"\(url)": {"scopes": ["notes:read", "notes:write"]}}}
            """,
            to: "apis.json"
        )
        let server = try await ServedIssuer(
            in: directory,
            options: [
                "--unencrypted-key-file", "--config", "apis.json", "--scope", "notes:write=change your notes",
                "--unregistered-client-scope", "notes:read", "--unregistered-client-scope", "notes:write",
            ] + options
        )
        try await tool.register()
        return server
    }

    private func call(_ body: String) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(["request", "POST", url, "-d", body, "-i"], in: directory)
    }

    @Test func `from the URL alone: registers, signs in, calls, and asks for more when the server does`() async throws {
        let server = try await serve(["--open-registration"])
        let notes = try await ExampleServer(issuer: server.issuer, port: port, in: directory)
        let signedIn = try await tool.signIn(
            at: nil,
            options: ["--mcp", notes.url, "--unencrypted-key-file"],
            clientID: nil
        )
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        #expect(signedIn.errors.contains("the MCP server names \(server.issuer)"))
        let shown = try await KeyboundProcess.run(["token", "show", "--json"], in: directory)
        #expect(shown.output.contains(#""scope":"notes:read""#) || shown.output.contains(#""scope": "notes:read""#))
        let listed = try await call(Self.listNotes)
        #expect(listed.output.contains("water the plants"), Comment(rawValue: listed.output + listed.errors))
        let refused = try await call(Self.addNote)
        #expect(refused.output.hasPrefix("HTTP/1.1 403"))
        #expect(refused.output.contains("insufficient_scope") && refused.output.contains("notes:write"))
        let again = "keybound login --mcp \(url) --allow-insecure-loopback --scope 'notes:read notes:write'"
        #expect(refused.errors.contains(again), Comment(rawValue: refused.errors))

        // The same registration is used again.
        let more = try await tool.signIn(
            at: nil,
            options: ["--mcp", notes.url, "--unencrypted-key-file", "--scope", "notes:read notes:write"],
            clientID: nil
        )
        #expect(more.status == 0, Comment(rawValue: more.errors))
        let added = try await call(Self.addNote)
        #expect(added.output.contains("added for"), Comment(rawValue: added.output + added.errors))
        let clients = try await KeyboundProcess.run(["client", "list"], in: directory)
        #expect(clients.output.split(separator: "\n").count { $0.contains("keybound") } == 1, "\(clients.output)")
        await notes.stop()
        _ = await server.stop()
    }

    @Test func `keybound mcp: a client on stdio uses the server, and learns which scopes are missing`() async throws {
        let server = try await serve(["--open-registration"])
        let notes = try await ExampleServer(issuer: server.issuer, port: port, in: directory)
        let initialize =
            #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#
        let initialized = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
        let before = try await KeyboundProcess.run(["mcp", url], input: initialize + "\n", in: directory)
        #expect(before.status == 0 && before.output.contains("run: keybound login --mcp \(url)"), "\(before)")
        let signedIn = try await tool.signIn(
            at: nil,
            options: ["--mcp", notes.url, "--unencrypted-key-file"],
            clientID: nil
        )
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        let lines = [initialize, initialized, Self.listNotes, Self.addNote]
        // The last line has no end.
        let used = try await KeyboundProcess.run(["mcp", url], input: lines.joined(separator: "\n"), in: directory)
        #expect(used.status == 0 && used.errors.isEmpty, Comment(rawValue: used.errors))
        let answers = used.output.split(separator: "\n").map(String.init)
        #expect(answers.count == 3 && answers.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") }, "\(used.output)")
        #expect(answers.first?.contains(#""protocolVersion":"2025-06-18""#) == true, "\(used.output)")
        #expect(answers.contains { $0.contains(#""id":1"#) && $0.contains("water the plants") }, "\(used.output)")
        let refused = answers.first { $0.contains(#""id":2"#) }
        #expect(refused?.contains("-32001") == true && refused?.contains("'notes:read notes:write'") == true)
        await notes.stop()
        _ = await server.stop()
    }

    @Test func `keybound mcp --login signs in first, and standard output has messages only`() async throws {
        let server = try await serve(["--open-registration"])
        let notes = try await ExampleServer(issuer: server.issuer, port: port, in: directory)
        let environment = [
            "PATH": "/usr/bin:/bin", "XDG_STATE_HOME": directory.path + "/state", "HOME": directory.path,
        ]
        let program = try ChildProcess(
            KeyboundProcess.executable.path,
            ["mcp", notes.url, "--login", "--allow-insecure-loopback", "--unencrypted-key-file"],
            environment: environment.merging(tool.prepareBrowser()) { $1 },
            directory: directory.path,
            input: Self.listNotes + "\n"
        )
        try await tool.walkPages(of: program)
        let result = await program.result()
        #expect(result.status == 0, Comment(rawValue: result.errors))
        #expect(result.output.hasPrefix("{") && result.output.contains("water the plants"), "\(result)")
        #expect(result.output.split(separator: "\n").count == 1 && result.errors.contains("signed in at"))
        await notes.stop()
        _ = await server.stop()
    }

    @Test func `the example speaks the revisions it knows, and refuses pages of other origins`() async throws {
        let server = try await serve(["--open-registration"])
        let notes = try await ExampleServer(issuer: server.issuer, port: port, in: directory)
        let signedIn = try await tool.signIn(
            at: nil,
            options: ["--mcp", notes.url, "--unencrypted-key-file"],
            clientID: nil
        )
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        for (asked, given) in [("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25")] {
            let parameters = #"{"protocolVersion":"\#(asked)"}"#
            let answer = try await call(#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":\#(parameters)}"#)
            #expect(answer.output.contains("\"\(given)\""), Comment(rawValue: answer.output))
        }
        // Before the token is looked at.
        let foreign = try await PlatformTransport().send(
            HTTPRequest(method: "POST", target: url, fields: ["Origin": "https://evil.example"], body: [0x7B, 0x7D]),
            maximumBodySize: 65_536
        )
        #expect(foreign.status == 403 && foreign.fields["WWW-Authenticate"] == nil)
        await notes.stop()
        _ = await server.stop()
    }

    @Test func `a client that was registered by hand needs no open registration`() async throws {
        let server = try await serve()
        let notes = try await ExampleServer(issuer: server.issuer, port: port, in: directory)
        let unknown = try await KeyboundProcess.run(
            ["login", "--mcp", notes.url, "--allow-insecure-loopback", "--unencrypted-key-file", "--show-url"],
            in: directory
        )
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("invalid_token"), Comment(rawValue: unknown.errors))
        let signedIn = try await tool.signIn(
            at: nil,
            options: ["--mcp", notes.url, "--unencrypted-key-file", "--client-id", "tool"],
            clientID: nil
        )
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        #expect(try await call(Self.listNotes).output.contains("water the plants"))
        await notes.stop()
        _ = await server.stop()
    }

    @Test
    func `cases 37 to 43: what the example answers to requests without a token, with a wrong one, and for metadata`()
        async throws
    {
        let server = try await serve()
        let notes = try await ExampleServer(issuer: server.issuer, port: port, options: ["--bearer"], in: directory)
        let transport = PlatformTransport()
        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            try await transport.send(request, maximumBodySize: 65_536)
        }
        let bare = try await send(HTTPRequest(method: "POST", target: notes.url, body: Array(Self.listNotes.utf8)))
        let challenges = try Challenge.parse(bare.fields.values(for: "WWW-Authenticate"))
        #expect(bare.status == 401)
        #expect(challenges.map(\.scheme) == ["DPoP", "Bearer"])
        for challenge in challenges {
            #expect(challenge.value(for: "scope") == "notes:read")
            #expect(
                challenge.value(for: "resource_metadata")
                    == "http://127.0.0.1:\(port)/.well-known/oauth-protected-resource/mcp"
            )
            #expect(challenge.value(for: "error") == nil)
        }
        let wrong = try await send(
            HTTPRequest(method: "POST", target: notes.url, fields: ["Authorization": "Bearer x"])
        )
        #expect(wrong.status == 401 && wrong.fields["WWW-Authenticate"]?.contains("invalid_token") == true)
        #expect(wrong.fields["WWW-Authenticate"]?.contains("resource_metadata") == true)
        let query = try await send(HTTPRequest(method: "POST", target: notes.url + "?access_token=x"))
        #expect(query.status == 400)
        for (path, status) in [
            ("/.well-known/oauth-protected-resource/mcp", 200), ("/.well-known/oauth-protected-resource", 200),
            ("/.well-known/oauth-protected-resource/a/../mcp", 404),
        ] {
            let response = try await send(HTTPRequest(target: "http://127.0.0.1:\(port)\(path)"))
            #expect(response.status == status, "\(path)")
            if status == 200 { #expect(response.fields["Access-Control-Allow-Origin"] == "*") }
        }
        await notes.stop()
        _ = await server.stop()
    }
}
