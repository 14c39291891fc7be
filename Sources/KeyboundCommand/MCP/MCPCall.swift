// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthTransport
import StrictJSON

/// One request of the MCP client, until its response is written.
struct MCPCall {
    /// How often a stream that brings nothing is requested again.
    private static let maximumSilentStreams = 100

    private let link: MCPServerLink
    private let message: MCPMessage
    private let id: JSONValue
    /// Called when the response is written and the stream that brought it is still open.
    private let whenAnswered: @Sendable () -> Void
    private var isAnswered = false
    private var newSessionID: String?

    init(
        _ message: MCPMessage,
        _ id: JSONValue,
        over link: MCPServerLink,
        whenAnswered: @escaping @Sendable () -> Void
    ) {
        self.message = message
        self.id = id
        self.link = link
        self.whenAnswered = whenAnswered
    }

    /// Sends the request, and writes what the server answers.
    ///
    /// - Returns: Whether the request has a response, of the server or an error; not if the task was cancelled before.
    mutating func run() async -> Bool {
        do {
            try await exchange()
            guard isAnswered else { throw MCPFailure(.failed, "the MCP server did not respond to the request") }
        } catch {
            guard !isAnswered, !Task.isCancelled else { return isAnswered }
            await link.output(MCPFailure(error).line(answering: id))
        }
        return true
    }

    private mutating func exchange() async throws {
        let session = link.session(of: message)
        let response = try await link.post(message, in: session)
        guard (200..<300).contains(response.status) else { return try await refuse(response, session) }
        if message.isInitialize { newSessionID = sessionID(in: response.fields) }
        if link.isStream(response) { return try await follow(response, session) }
        guard response.fields.hasMediaType("application/json") else {
            throw MCPFailure(.failed, "the MCP server sent neither JSON nor a stream of events")
        }
        try await deliver(MCPReceivedMessage(parsing: link.body(of: response)))
    }

    private func sessionID(in fields: HTTPFields) -> String? {
        guard let id = fields["Mcp-Session-Id"] else { return nil }
        // MCP 2025-11-25, Session Management, 1: visible ASCII only.
        guard MCPMessage.isVisible(id) else {
            link.note("the MCP server named the session with characters that are not allowed")
            return nil
        }
        return id
    }

    private mutating func deliver(_ received: MCPReceivedMessage) async {
        let isResponse = received.answers(id)
        guard !isResponse || !isAnswered else { return }
        // Before the client knows: its next message belongs to the session.
        if isResponse, message.isInitialize, let version = received.protocolVersion {
            link.sessions.begin(MCPSessions.Session(id: newSessionID, version: version))
        }
        await link.output(received.line)
        if isResponse { isAnswered = true }
    }

    /// Reads a stream, and requests it again if it ends before the response (MCP 2025-11-25, Resumability and Redelivery).
    private mutating func follow(_ first: StreamedResponse, _ session: MCPSessions.Session) async throws {
        var response = first
        var parser = EventStreamParser(maximumSize: MCPMessage.maximumSize)
        var silentCount = 0
        while true {
            let hasMessages = try await read(response, &parser)
            if isAnswered { return }
            silentCount = hasMessages ? 0 : silentCount + 1
            // From 2026-07-28 a stream cannot be resumed.
            guard message.ownVersion == nil, let eventID = parser.lastEventID,
                silentCount <= Self.maximumSilentStreams
            else { return }
            parser.reconnect()
            try await link.sleep(parser.pause)
            response = try await link.stream(of: currentSession(session), after: eventID)
            guard response.status == 200, link.isStream(response) else { return try await refuse(response, session) }
        }
    }

    /// The session of a stream that is requested again: that of `initialize` has begun only with its response.
    private func currentSession(_ session: MCPSessions.Session) -> MCPSessions.Session {
        message.isInitialize ? MCPSessions.Session(id: newSessionID) : session
    }

    private mutating func read(_ response: StreamedResponse, _ parser: inout EventStreamParser) async throws -> Bool {
        var hasMessages = false
        while let piece = try await link.nextPiece(of: response) {
            for data in try parser.take(piece) {
                hasMessages = true
                do throws(MCPFailure) {
                    let received = try MCPReceivedMessage(parsing: data)
                    await deliver(received)
                } catch {
                    link.note(error.message)
                }
                if isAnswered { whenAnswered() }
            }
        }
        return hasMessages
    }

    private mutating func refuse(_ response: StreamedResponse, _ session: MCPSessions.Session) async throws {
        let (failure, body) = await link.refusal(response, in: session)
        guard let line = MCPReceivedMessage.error(in: body, answering: id) else { throw failure }
        await link.output(line)
        isAnswered = true
    }
}
#endif
