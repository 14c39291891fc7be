// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthTransport

/// The stream of what an MCP server sends by itself (MCP 2025-11-25, Listening for Messages from the Server).
struct MCPListener: Sendable {
    /// The server, or a proxy in front of it, is busy or restarts: it may have the stream later.
    private static let passingStatuses = [429, 502, 503, 504]

    let link: MCPServerLink
    let session: MCPSessions.Session

    /// Writes what arrives, until the task is cancelled, the session ends, or the server has no such stream.
    func run() async {
        var parser = EventStreamParser(maximumSize: MCPMessage.maximumSize)
        var silentCount = 0
        while !Task.isCancelled, link.sessions.current == session {
            do {
                let response = try await link.stream(of: session, after: parser.lastEventID)
                if Self.passingStatuses.contains(response.status) {
                    throw MCPFailure(.failed, "the MCP server answered with the HTTP status \(response.status)")
                }
                guard response.status == 200, link.isStream(response) else { return await noteEnd(response) }
                silentCount = try await read(response, &parser) ? 0 : silentCount + 1
            } catch {
                guard !Task.isCancelled else { return }
                if silentCount == 0 { link.note("cannot listen to the MCP server: \(MCPFailure(error).message)") }
                silentCount += 1
            }
            parser.reconnect()
            // At most about a minute apart.
            try? await link.sleep(max(parser.pause, .seconds(1 << min(silentCount, 6))))
        }
    }

    private func read(_ response: StreamedResponse, _ parser: inout EventStreamParser) async throws -> Bool {
        var hasMessages = false
        while let piece = try await link.nextPiece(of: response) {
            for data in try parser.take(piece) {
                hasMessages = true
                do throws(MCPFailure) {
                    let received = try MCPReceivedMessage(parsing: data)
                    await link.output(received.line)
                } catch {
                    link.note(error.message)
                }
            }
        }
        return hasMessages
    }

    private func noteEnd(_ response: StreamedResponse) async {
        // A server that does not send anything by itself says 405; some say 404.
        if response.status == 405 || response.status == 404 && session.id == nil { return }
        let reason = await link.refusal(response, in: session).failure.message
        link.note("cannot listen to the MCP server: \(reason)")
    }
}
#endif
