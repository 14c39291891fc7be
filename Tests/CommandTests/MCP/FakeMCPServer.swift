// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthTransport
import StrictJSON
import Synchronization

@testable import KeyboundCommand

/// An MCP client, and an MCP server that answers as a test says, with the bridge of `keybound mcp` between them.
final class FakeMCPServer: MCPConnection {
    typealias Answer = @Sendable (_ request: HTTPRequest) async throws -> StreamedResponse

    private let answer: Answer
    private let received = Mutex<[HTTPRequest]>([])
    private let written = Mutex<[String]>([])
    private let notes = Mutex<[String]>([])
    private let changes: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)
    private let input: (stream: AsyncStream<InputLine>, continuation: AsyncStream<InputLine>.Continuation)

    init(_ answer: @escaping Answer) {
        self.answer = answer
        changes = AsyncStream.makeStream(of: Void.self)
        input = AsyncStream.makeStream(of: InputLine.self)
    }

    /// The requests so far.
    var requests: [HTTPRequest] { received.withLock { $0 } }
    /// What the client has read so far.
    var lines: [String] { written.withLock { $0 } }
    /// What went to standard error.
    var remarks: [String] { notes.withLock { $0 } }

    /// The client writes a line.
    func type(_ line: String) {
        input.continuation.yield(.whole(Array(line.utf8)))
    }

    func type(_ line: InputLine) {
        input.continuation.yield(line)
    }

    /// The client closes its output.
    func close() {
        input.continuation.finish()
    }

    /// Waits until the client has read so many lines, or the server got so many requests.
    func wait(forLines lineCount: Int = 0, requests requestCount: Int = 0) async {
        while lines.count < lineCount || requests.count < requestCount {
            for await _ in changes.stream { break }
        }
    }

    /// Runs the bridge to its end.
    func run() async {
        await MCPBridge(link).run { [lines = input.stream] in
            for await line in lines { return line }
            return nil
        }
    }

    /// Writes the lines, and runs the bridge to its end.
    func run(typing lines: String...) async {
        for line in lines { type(line) }
        close()
        await run()
    }

    private var link: MCPServerLink {
        MCPServerLink(
            url: "https://mcp.example/mcp",
            connection: self,
            output: { line in
                self.written.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
                self.changes.continuation.yield()
            },
            note: { text in self.notes.withLock { $0.append(text) } },
            // Pauses before a stream is requested again are short; the time limits never end.
            sleep: { try await Task.sleep(for: $0 == .seconds(1) ? .zero : .seconds(3600)) }
        )
    }

    func open(_ request: HTTPRequest, timeout: Duration?) async throws -> StreamedResponse {
        received.withLock { $0.append(request) }
        changes.continuation.yield()
        return try await answer(request)
    }

    func explanation(of response: HTTPResponse) async -> String? {
        response.status == 401 ? "run: keybound login" : nil
    }
}

extension StreamedResponse {
    /// A response with JSON.
    static func json(_ text: String, status: Int = 200, session: String? = nil) -> StreamedResponse {
        var fields: HTTPFields = ["Content-Type": "application/json"]
        fields["Mcp-Session-Id"] = session
        return StreamedResponse(HTTPResponse(status: status, fields: fields, body: Array(text.utf8)))
    }

    /// A response without a body.
    static func status(_ status: Int) -> StreamedResponse {
        StreamedResponse(HTTPResponse(status: status))
    }

    /// A stream of events that ends.
    static func events(_ text: String) -> StreamedResponse {
        let fields: HTTPFields = ["Content-Type": "text/event-stream"]
        return StreamedResponse(HTTPResponse(status: 200, fields: fields, body: Array(text.utf8)))
    }

    /// A stream of events that brings what is yielded, and ends when the yielding does or its reader is cancelled.
    static func openStream(_ stream: AsyncStream<String>) -> StreamedResponse {
        let chunks = ResponseChunks {
            for await piece in stream { return Array(piece.utf8) }
            return nil
        }
        return StreamedResponse(
            status: 200,
            fields: ["Content-Type": "text/event-stream"],
            body: ResponseBytes(chunks)
        )
    }
}
