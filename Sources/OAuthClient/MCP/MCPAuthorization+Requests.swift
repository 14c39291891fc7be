// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import OAuthCore
public import OAuthTransport

extension MCPAuthorization {
    /// Sends a request to the server, and lets the user sign in for what it needs.
    ///
    /// If the server refuses the token and a refresh does not help, the user signs in again, as the server's challenge says,
    /// but not for an error that no token helps with, and not when the server has refused the tokens of three sign-ins within
    /// an hour: then the 401 is returned. If the authorization server no longer knows a client that registered itself
    /// (`invalid_client`), the app registers again, and the user signs in again.
    /// If it demands more scope (403 `insufficient_scope`), the user is asked for all that was asked for before and what is
    /// missing, once for calls that meet the demand together. The request is then sent once more.
    ///
    /// - Parameters:
    ///   - request: A request to the scheme, host and port of the server. The token is sent nowhere else; a redirect is
    ///     returned, not followed.
    ///   - body: The source of the body; a stream cannot be sent again.
    ///   - maximumBodySize: The maximum size of the response body, in bytes.
    ///   - timeout: How long the request may go without progress; long for a stream of events.
    /// - Returns: The response, whatever its status, except a 403 with `insufficient_scope`.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` for a request to another place,
    ///   ``OAuthClientError/Code/insufficientScope`` when the demand stays, and the codes of ``session()`` and
    ///   ``OAuthSession/send(_:body:maximumBodySize:timeout:steppingUp:)``.
    public func send(
        _ request: HTTPRequest,
        body: RequestBody = .inMemory,
        maximumBodySize: Int? = nil,
        timeout: Duration? = nil
    ) async throws(OAuthClientError) -> HTTPResponse {
        let (session, response) = try await exchange(request, body, timeout)
        return try await session.whole(response, maximumBodySize)
    }

    /// Sends a request to the server as ``send(_:body:maximumBodySize:timeout:)`` does, and returns the body of the response as a
    /// stream: for a stream of events (`text/event-stream`), whose messages come one by one.
    ///
    /// - Parameters:
    ///   - request: A request to the scheme, host and port of the server.
    ///   - body: The source of the body; a stream cannot be sent again.
    ///   - timeout: How long the request may go without progress; long for a stream of events.
    /// - Returns: The head of the response, whatever its status, except a 403 with `insufficient_scope`, and its body.
    /// - Throws: The codes of ``send(_:body:maximumBodySize:timeout:)``. Reading the body throws
    ///   ``OAuthClientError/Code/transportFailed`` when the connection breaks.
    public func bytes(
        for request: HTTPRequest,
        body: RequestBody = .inMemory,
        timeout: Duration? = nil
    ) async throws(OAuthClientError) -> StreamedResponse {
        try await exchange(request, body, timeout).response
    }

    /// Sends a request with the session, and once more with a new one if the server refuses that and a new one may help.
    private func exchange(
        _ request: HTTPRequest,
        _ body: RequestBody,
        _ timeout: Duration?
    ) async throws(OAuthClientError) -> (session: OAuthSession, response: StreamedResponse) {
        try url.requireOwn(request.target)
        let first = try await session()
        let canRepeat = if case .stream = body { false } else { true }
        let response: StreamedResponse
        do throws(OAuthClientError) {
            response = try await attempt(first, request, body, timeout)
        } catch {
            guard canRepeat, let second = try await replace(first, after: error) else { throw error }
            return (second, try await attempt(second, request, body, timeout))
        }
        guard response.status == 401, canRepeat else { return (first, response) }
        let challenges = (try? Challenge.parse(response.fields.values(for: "WWW-Authenticate"))) ?? []
        guard Self.newTokenMayHelp(challenges), let second = try await renew(first, challenges) else {
            return (first, response)
        }
        return (second, try await attempt(second, request, body, timeout))
    }

    private func attempt(
        _ session: OAuthSession,
        _ request: HTTPRequest,
        _ body: RequestBody,
        _ timeout: Duration?
    ) async throws(OAuthClientError) -> StreamedResponse {
        let response = try await exchange(session, request, body, timeout)
        note(session, wasAccepted: response.status != 401)
        return response
    }

    /// Whether the server refuses the token (RFC 6750 section 3.1), or does not say what it refuses.
    private static func newTokenMayHelp(_ challenges: [Challenge]) -> Bool {
        let errors = challenges.filter { $0.hasScheme("DPoP") || $0.hasScheme("Bearer") }
            .compactMap { $0.value(for: "error") }
        return errors.isEmpty || errors.contains(OAuthErrorCode.invalidToken.rawValue)
    }

    private func exchange(
        _ session: OAuthSession,
        _ request: HTTPRequest,
        _ body: RequestBody,
        _ timeout: Duration?
    ) async throws(OAuthClientError) -> StreamedResponse {
        let known = record()
        let scopes = StepUpScopes(
            askedBefore: known?.scopes ?? [],
            ifUnnamed: known?.supportedScopes ?? [],
            whenSignedIn: { asked in await self.note(asked: asked) }
        )
        return try await session.exchange(
            request,
            body: body,
            timeout: timeout,
            steppingUp: MCPStepUp(userAgent: userAgent),
            for: scopes
        ).response
    }
}

/// Takes the user to the authorization server for more.
private struct MCPStepUp: StepUpHandler {
    let userAgent: (any UserAgent)?

    func stepUp(_ need: StepUpNeed) async throws -> StepUpDecision {
        userAgent.map { .signIn($0) } ?? .deny
    }
}
