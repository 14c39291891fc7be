// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthTransport
import StrictJSON

/// What lies between the MCP client and the MCP server: the requests that are sent, and where what arrives goes.
struct MCPServerLink: Sendable {
    /// How long a response or a stream may be silent: a tool may work for long.
    private static let patience = Duration.seconds(3600)
    private static let eventStream = "text/event-stream"

    let url: String
    let connection: any MCPConnection
    /// Writes a message to the MCP client, without its line break.
    let output: @Sendable (_ line: [UInt8]) async -> Void
    /// Tells the person something that is no message.
    let note: @Sendable (_ text: String) -> Void
    let sleep: @Sendable (_ duration: Duration) async throws -> Void
    let sessions = MCPSessions()

    /// The session that a message belongs to.
    ///
    /// `initialize` begins a new one. From 2026-07-28 there are none, and each message names its revision.
    func session(of message: MCPMessage) -> MCPSessions.Session {
        if let version = message.ownVersion { return MCPSessions.Session(version: version) }
        return message.isInitialize ? MCPSessions.Session() : sessions.current
    }

    /// Sends a message (MCP 2025-11-25, Sending Messages to the Server).
    func post(_ message: MCPMessage, in session: MCPSessions.Session) async throws -> StreamedResponse {
        var fields = fields(of: session, accepting: "application/json, \(Self.eventStream)")
        fields["Content-Type"] = "application/json"
        if message.ownVersion != nil {
            // MCP 2026-07-28, Standard Request Headers.
            if !message.method.isEmpty { fields["Mcp-Method"] = Self.fieldValue(message.method) }
            fields["Mcp-Name"] = message.name.map(Self.fieldValue)
        }
        // What the next message waits for must not take an hour.
        var timeout: Duration?
        if case .request = message.kind, !message.isInitialize { timeout = Self.patience }
        let request = HTTPRequest(method: "POST", target: url, fields: fields, body: message.body)
        return try await connection.open(request, timeout: timeout)
    }

    /// Requests the stream of what the server sends by itself, or a stream that was cut off.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - eventID: The last event that arrived (MCP 2025-11-25, Resumability and Redelivery).
    /// - Returns: The response, whatever its status.
    /// - Throws: ``CommandFailure``.
    func stream(of session: MCPSessions.Session, after eventID: String?) async throws -> StreamedResponse {
        var fields = fields(of: session, accepting: Self.eventStream)
        fields["Last-Event-ID"] = eventID
        return try await connection.open(HTTPRequest(target: url, fields: fields), timeout: Self.patience)
    }

    /// Ends a session at the server (MCP 2025-11-25, Session Management, 5).
    func delete(_ session: MCPSessions.Session) async throws {
        let fields = fields(of: session, accepting: "application/json")
        let request = HTTPRequest(method: "DELETE", target: url, fields: fields)
        _ = try await connection.open(request, timeout: nil)
    }

    private func fields(of session: MCPSessions.Session, accepting types: String) -> HTTPFields {
        var fields: HTTPFields = ["Accept": types]
        fields["Mcp-Session-Id"] = session.id
        fields["MCP-Protocol-Version"] = session.version
        return fields
    }

    /// A text as the value of a field (MCP 2026-07-28, Value Encoding).
    private static func fieldValue(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        let hasMargin = text.utf8.first == 0x20 || text.utf8.last == 0x20
        let looksEncoded = text.hasPrefix("=?base64?") && text.hasSuffix("?=")
        guard !isPlain || hasMargin || looksEncoded || text.isEmpty else { return text }
        return "=?base64?\(Base64.encode(Array(text.utf8)))?="
    }

    /// Whether a response is a stream of events.
    func isStream(_ response: StreamedResponse) -> Bool {
        response.fields.hasMediaType(Self.eventStream)
    }

    /// The next piece of a response; `nil` at its end, and when the connection broke.
    func nextPiece(of response: StreamedResponse) async throws -> [UInt8]? {
        do {
            return try await response.body.chunks.next()
        } catch {
            try Task.checkCancellation()
            return nil
        }
    }

    /// The whole body of a response.
    func body(of response: StreamedResponse, atMost limit: Int = MCPMessage.maximumSize) async throws -> [UInt8] {
        var body: [UInt8] = []
        while let piece = try await response.body.chunks.next() {
            guard piece.count <= limit - body.count else {
                throw MCPFailure(.failed, "the MCP server sent a response of more than \(limit) bytes")
            }
            body += piece
        }
        return body
    }

    /// Why the server did not accept a request.
    ///
    /// After 404 for a session, the session is over: the client must begin a new one (MCP 2025-11-25, Session Management, 4).
    ///
    /// - Parameters:
    ///   - response: The response, whose status is not a success.
    ///   - session: The session of the request.
    /// - Returns: The reason, and the body of the response.
    func refusal(
        _ response: StreamedResponse,
        in session: MCPSessions.Session
    ) async -> (failure: MCPFailure, body: [UInt8]) {
        if response.status == 404, session.id != nil {
            sessions.forget(session)
            return (MCPFailure(.failed, "the MCP server has ended the session: send initialize again"), [])
        }
        let body = isStream(response) ? [] : (try? await self.body(of: response, atMost: 65_536)) ?? []
        let whole = HTTPResponse(status: response.status, fields: response.fields, body: body)
        if let text = await connection.explanation(of: whole) { return (MCPFailure(.signInNeeded, text), []) }
        return (MCPFailure(.failed, "the MCP server answered with the HTTP status \(response.status)"), body)
    }

    /// Does something for a limited time; then it is cancelled.
    func within(_ limit: Duration, _ work: @escaping @Sendable () async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await work() }
            group.addTask { try? await sleep(limit) }
            _ = await group.next()
            group.cancelAll()
        }
    }
}
#endif
