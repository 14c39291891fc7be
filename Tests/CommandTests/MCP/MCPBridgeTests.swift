// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthTransport
import StrictJSON
import Synchronization
import Testing

@testable import KeyboundCommand

@Suite("keybound mcp: messages between a client on stdio and a server on HTTP")
struct MCPBridgeTests {
    private static let initialize =
        #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#
    private static let initialized = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
    private static let begun = #"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}"#

    private static func request(_ id: String) -> String { #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/list"}"# }
    private static func result(_ id: String) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"# }
    private static func method(_ request: HTTPRequest) -> String? {
        (try? JSONValue(parsing: request.body).objectValue)?["method"]?.stringValue
    }
    private static func error(_ line: String) -> (code: Int64?, text: String?, id: JSONValue?) {
        let object = try? JSONValue(parsing: Array(line.utf8)).objectValue
        let error = object?["error"]?.objectValue
        return (error?["code"]?.integerValue, error?["message"]?.stringValue, object?["id"])
    }

    @Test func `session and revision: kept from initialize, sent from then on, and the session is ended`() async {
        let server = FakeMCPServer { request in
            switch (request.method, Self.method(request)) {
            case ("POST", "initialize"): .json(Self.begun, session: "s-1")
            case ("POST", "tools/list"): .json("{\"jsonrpc\":\"2.0\",\n\"id\":\"a\",\r\n\"result\":{}}")
            case ("POST", _): .status(202)
            case ("GET", _): .status(405)
            default: .status(200)
            }
        }
        await server.run(typing: Self.initialize, Self.initialized, Self.request("\"a\""))
        #expect(server.lines == [Self.begun, #"{"jsonrpc":"2.0", "id":"a",  "result":{}}"#])
        let posts = server.requests.filter { $0.method == "POST" }
        #expect(posts.map(Self.method) == ["initialize", "notifications/initialized", "tools/list"])
        #expect(posts.allSatisfy { $0.fields["Accept"] == "application/json, text/event-stream" })
        #expect(posts.allSatisfy { $0.fields["Content-Type"] == "application/json" })
        #expect(posts.map { $0.fields["Mcp-Session-Id"] } == [nil, "s-1", "s-1"])
        #expect(posts.map { $0.fields["MCP-Protocol-Version"] } == [nil, "2025-06-18", "2025-06-18"])
        let ends = server.requests.filter { $0.method == "DELETE" }
        #expect(ends.map { $0.fields["Mcp-Session-Id"] } == ["s-1"])
        #expect(server.remarks.isEmpty)
    }

    @Test func `a stream brings several messages, each on a line, and comments and other events are left out`() async {
        let events = """
            : hello

            event: endpoint
            data: /other

            data: {"jsonrpc":"2.0",
            data: "method":"notifications/progress"}

            data: {"jsonrpc":"2.0","id":1,"result":{}}


            """
        let server = FakeMCPServer { _ in .events(events) }
        await server.run(typing: Self.request("1"))
        #expect(server.lines == [#"{"jsonrpc":"2.0", "method":"notifications/progress"}"#, Self.result("1")])
    }

    @Test func `a stream that ends before the response is requested again from its last event`() async {
        let server = FakeMCPServer { request in
            guard request.method == "GET" else { return .events("id: 7\ndata:\n\ndata: {\"jsonr") }
            return .events("id: 8\ndata: \(Self.result("1"))\n\n")
        }
        await server.run(typing: Self.request("1"))
        #expect(server.lines == [Self.result("1")])
        #expect(server.requests.map { $0.fields["Last-Event-ID"] } == [nil, "7"])
    }

    @Test func `an open stream holds up no other message`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let server = FakeMCPServer { request in
            (try? JSONValue(parsing: request.body).objectValue)?["id"]?.integerValue == 1
                ? .openStream(stream) : .json(Self.result("2"))
        }
        async let ran: Void = server.run()
        server.type(Self.request("1"))
        server.type(Self.request("2"))
        await server.wait(forLines: 1)
        #expect(server.lines == [Self.result("2")])
        continuation.yield("data: \(Self.result("1"))\n\n")
        continuation.finish()
        server.close()
        await ran
        #expect(server.lines == [Self.result("2"), Self.result("1")])
    }

    @Test func `what the server sends by itself arrives after initialize`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let server = FakeMCPServer { request in
            switch (request.method, Self.method(request)) {
            case ("POST", "initialize"): .json(Self.begun)
            case ("GET", _): .openStream(stream)
            default: .status(202)
            }
        }
        async let ran: Void = server.run()
        server.type(Self.initialize)
        server.type(Self.initialized)
        continuation.yield("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n")
        await server.wait(forLines: 2)
        #expect(server.lines.last == #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
        server.close()
        await ran
        // Without a session there is nothing to end.
        #expect(!server.requests.contains { $0.method == "DELETE" })
    }

    @Test func `lines that are no message are answered, and not sent`() async {
        let server = FakeMCPServer { _ in .status(500) }
        server.type("{")
        server.type("[\(Self.request("1"))]")
        server.type(#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#)
        server.type(.tooLong)
        server.type("  ")
        server.close()
        await server.run()
        #expect(server.lines.map { Self.error($0).code } == [-32_700, -32_600, -32_600, -32_600])
        #expect(server.lines.allSatisfy { Self.error($0).id == JSONValue.null })
        #expect(server.requests.isEmpty)
    }

    @Test func `JSON-RPC 2 0 section 5: an error has the identifier of the request if it can be read`() async {
        let server = FakeMCPServer { _ in .status(500) }
        await server.run(
            typing: #"{"jsonrpc":"1.0","id":7,"method":"ping"}"#,
            #"{"jsonrpc":"2.0","id":"a","method":5}"#,
            #"{"id":8}"#,
            #"{"jsonrpc":"2.0","id":[9],"method":"ping"}"#,
            // The client could have a request 9 of its own.
            #"{"jsonrpc":"1.0","id":9,"result":{}}"#
        )
        #expect(server.lines.allSatisfy { Self.error($0).code == -32_600 })
        let ids: [JSONValue?] = [7, "a", 8, JSONValue.null, JSONValue.null]
        #expect(server.lines.map { Self.error($0).id } == ids)
        #expect(server.requests.isEmpty)
    }

    @Test func `nobody is signed in: each request is answered with what to do`() async {
        let server = FakeMCPServer { _ in throw CommandFailure(.signInNeeded, "run: keybound login --mcp URL") }
        await server.run(typing: Self.initialize, Self.initialized, Self.request("\"x\""))
        #expect(server.lines.map { Self.error($0).code } == [-32_001, -32_001])
        #expect(server.lines.allSatisfy { Self.error($0).text == "run: keybound login --mcp URL" })
        let ids: [JSONValue?] = [0, "x"]
        #expect(server.lines.map { Self.error($0).id } == ids)
        #expect(server.remarks == ["notifications/initialized was not sent: run: keybound login --mcp URL"])
    }

    @Test func `HTTP failures become errors with the identifier of the request`() async {
        let server = FakeMCPServer { request in
            Self.method(request) == nil
                ? .status(400)
                : .json(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"no"}}"#, status: 400)
        }
        await server.run(typing: Self.request("1"), #"{"jsonrpc":"2.0","id":9,"result":{}}"#)
        #expect(server.lines == [#"{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"no"}}"#])
        #expect(server.remarks == ["a response was not accepted: the MCP server answered with the HTTP status 400"])
    }

    @Test(arguments: [(502, -32_000, "HTTP status 502"), (401, -32_001, "keybound login"), (200, -32_000, "neither")])
    func `a status is reported`(_ status: Int, _ code: Int, _ text: String) async {
        let server = FakeMCPServer { _ in .status(status) }
        await server.run(typing: Self.request("3"))
        #expect(server.lines.map { Self.error($0).code } == [Int64(code)])
        #expect(server.lines.allSatisfy { Self.error($0).text?.contains(text) == true })
        #expect(server.lines.allSatisfy { Self.error($0).id == JSONValue.number(JSONNumber(3)) })
    }

    @Test func `404 ends the session: the client must begin another one`() async {
        let server = FakeMCPServer { request in
            switch (request.method, Self.method(request)) {
            case ("POST", "initialize"): .json(Self.begun, session: "s-1")
            default: .status(404)
            }
        }
        async let ran: Void = server.run()
        server.type(Self.initialize)
        server.type(Self.request("1"))
        await server.wait(forLines: 2)
        server.type(Self.request("2"))
        await server.wait(forLines: 3)
        server.close()
        await ran
        #expect(Self.error(server.lines[1]).text?.contains("send initialize again") == true)
        #expect(server.requests.map { $0.fields["Mcp-Session-Id"] } == [nil, "s-1", nil])
    }

    @Test func `revision 2026-07-28: the message names its revision, and is cancelled by its connection`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let meta = #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#
        let server = FakeMCPServer { _ in .openStream(stream) }
        async let ran: Void = server.run()
        server.type(#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"größe",\#(meta)}}"#)
        await server.wait(requests: 1)
        server.type(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)
        server.close()
        await ran
        continuation.finish()
        #expect(server.lines.isEmpty && server.requests.count == 1)
        let fields = server.requests[0].fields
        #expect(fields["MCP-Protocol-Version"] == "2026-07-28" && fields["Mcp-Method"] == "tools/call")
        #expect(fields["Mcp-Name"] == "=?base64?Z3LDtsOfZQ==?=")
    }

    @Test(.timeLimit(.minutes(2)))
    func `before 2026-07-28 the server is told that a request is cancelled, and nobody waits for it`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let server = FakeMCPServer { request in
            Self.method(request) == "tools/list" ? .openStream(stream) : .status(202)
        }
        async let ran: Void = server.run()
        server.type(Self.request("1"))
        await server.wait(requests: 1)
        server.type(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)
        server.close()
        await ran
        continuation.finish()
        #expect(server.lines.isEmpty && server.remarks.isEmpty)
        #expect(server.requests.map(Self.method) == ["tools/list", "notifications/cancelled"])
    }

    @Test(.timeLimit(.minutes(2)))
    func `a server that does not respond to initialize holds up the next line for a limited time`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let server = FakeMCPServer(shortPauses: [.seconds(60)]) { request in
            Self.method(request) == "initialize" ? .openStream(stream) : .json(Self.result("1"))
        }
        await server.run(typing: Self.initialize, Self.request("1"))
        continuation.finish()
        #expect(server.lines.count == 2 && server.lines.last == Self.result("1"))
        let error = server.lines.first.map(Self.error)
        #expect(error?.code == -32_000 && error?.id == JSONValue.number(JSONNumber(0)))
        #expect(error?.text == "the MCP server did not respond to initialize")
    }

    @Test(.timeLimit(.minutes(2)), arguments: [429, 502, 503, 504])
    func `a stream that the server does not have for now is requested again`(_ status: Int) async {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let streamCount = Mutex(0)
        let server = FakeMCPServer(shortPauses: [.seconds(1), .seconds(2)]) { request in
            switch (request.method, Self.method(request)) {
            case ("POST", "initialize"): return .json(Self.begun)
            case ("GET", _):
                let count = streamCount.withLock { count -> Int in
                    count += 1
                    return count
                }
                return count == 1 ? .status(status) : .openStream(stream)
            default: return .status(202)
            }
        }
        async let ran: Void = server.run()
        server.type(Self.initialize)
        server.type(Self.initialized)
        continuation.yield("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n")
        await server.wait(forLines: 2)
        #expect(server.lines.last == #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
        let remark = "cannot listen to the MCP server: the MCP server answered with the HTTP status \(status)"
        #expect(server.remarks == [remark])
        server.close()
        await ran
    }

    @Test(.timeLimit(.minutes(2)))
    func `a signal after the end of the input cancels what that waits for, and the session is ended`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let server = FakeMCPServer { request in
            switch (request.method, Self.method(request)) {
            case ("POST", "initialize"): .json(Self.begun, session: "s-1")
            case ("POST", _): .openStream(stream)
            default: .status(200)
            }
        }
        let bridge = server.bridge()
        async let ran: Void = server.run(bridge)
        server.type(Self.initialize)
        server.type(Self.request("1"))
        await server.wait(requests: 2)
        server.close()
        await server.wait(forPause: .seconds(30))
        await bridge.end(draining: .zero)
        #expect(server.lines.count == 2)
        let error = server.lines.last.map(Self.error)
        #expect(error?.text == "the input ended before the MCP server responded")
        #expect(server.requests.last?.method == "DELETE")
        continuation.finish()
        await ran
        #expect(server.requests.count { $0.method == "DELETE" } == 1)
    }
}
