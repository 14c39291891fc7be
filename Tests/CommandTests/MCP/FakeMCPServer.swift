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
    private let begunPauses = Mutex<Set<Duration>>([])
    private let shortPauses: Set<Duration>
    private let changes: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)
    private let input: (stream: AsyncStream<InputLine>, continuation: AsyncStream<InputLine>.Continuation)

    /// - Parameters:
    ///   - shortPauses: The pauses and time limits of the bridge that end at once; others never end.
    ///   - answer: What the server answers.
    init(shortPauses: Set<Duration> = [.zero, .seconds(1)], _ answer: @escaping Answer) {
        self.shortPauses = shortPauses
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

    /// Waits until the bridge pauses for a time, or has begun to limit something to it.
    func wait(forPause pause: Duration) async {
        while !begunPauses.withLock({ $0.contains(pause) }) {
            for await _ in changes.stream { break }
        }
    }

    /// A bridge between the two.
    func bridge() -> MCPBridge { MCPBridge(link) }

    /// Runs the bridge to its end.
    func run() async {
        await run(bridge())
    }

    /// Runs a bridge to its end.
    func run(_ bridge: MCPBridge) async {
        await bridge.run { [lines = input.stream] in
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
            sleep: { pause in
                self.begunPauses.withLock { _ = $0.insert(pause) }
                self.changes.continuation.yield()
                try await Task.sleep(for: self.shortPauses.contains(pause) ? .zero : .seconds(3600))
            }
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
