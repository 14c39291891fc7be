// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthTransport

/// Sends requests to the MCP server, each with the token and a proof of its own.
protocol MCPConnection: Sendable {
    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - timeout: How long it may go without progress; `nil` for the limit of the transport.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``CommandFailure``, with ``ExitCode/signInNeeded`` if somebody must sign in first.
    func open(_ request: HTTPRequest, timeout: Duration?) async throws -> StreamedResponse

    /// What a person must do after the server refused a request.
    ///
    /// - Parameter response: The response.
    /// - Returns: One sentence; `nil` if signing in does not help.
    func explanation(of response: HTTPResponse) async -> String?
}
#endif
