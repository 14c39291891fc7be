// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import OAuthCore
public import OAuthTransport

/// A user who is signed in: sends requests to APIs with the access token and a proof of the key.
public final class OAuthSession: Sendable {
    /// What gives out and refreshes the tokens.
    public let tokenManager: TokenManager
    let client: OAuth2Client
    private let tokenSource: AccessTokenSource

    init(client: OAuth2Client, tokens: TokenSet) {
        self.client = client
        tokenManager = TokenManager(client: client, tokens: tokens)
        tokenSource = AccessTokenSource(manager: tokenManager)
    }

    private init(_ session: OAuthSession, resources: [String]) {
        client = session.client
        tokenManager = session.tokenManager
        tokenSource = AccessTokenSource(manager: tokenManager, resources: resources)
    }

    /// The same session, which calls APIs with access tokens for some resources only: an API that is broken into can use
    /// them nowhere else.
    ///
    /// Tokens, key, refreshes, events and the end are shared; see ``TokenManager/fetch(resources:replacing:)``.
    ///
    /// - Parameter resources: What the access tokens are for, as in ``AuthorizationOptions/resources``.
    /// - Returns: The session.
    ///
    /// ## Specification
    ///
    /// [RFC 8707 §2.2](https://www.rfc-editor.org/rfc/rfc8707#section-2.2)
    public func limited(to resources: [String]) -> OAuthSession {
        OAuthSession(self, resources: resources)
    }

    /// Sends a request to an API, and receives the whole response.
    ///
    /// The request gets `Authorization` and a new `DPoP` field; what it had under these names is replaced. It is sent again
    /// at most once for each of these reasons: the API demands a nonce that it had not given before, the clock of the API
    /// turned out to be another one, the API answers 401 `invalid_token` and there is a new access token. A 403 is returned
    /// like every other response; so is a redirect, unless
    /// ``OAuth2ClientConfiguration/followsRedirectsWithinOneOriginWithNewProofs`` says otherwise.
    ///
    /// - Parameters:
    ///   - request: Any request with an absolute-form https target.
    ///   - body: Where its body comes from: unless told otherwise, it is the one of `request`. A file is not loaded into
    ///     memory.
    ///   - maximumBodySize: What the response may hold, in bytes; `nil` for `maximumResponseSize` of the transport.
    ///   - timeout: How long the request may go without progress; `nil` for as long as the transport allows.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``OAuthClientError/Code/sessionEnded`` when the user must sign in again,
    ///   ``OAuthClientError/Code/stepUpRequired`` when that must be done in another way,
    ///   ``OAuthClientError/Code/bodyNotReplayable`` when a body stream would have to be sent again (call again with a new
    ///   stream), ``OAuthClientError/Code/insecureURL``, ``OAuthClientError/Code/invalidArgument``, also when a file cannot
    ///   be read, and the codes of ``TokenManager/refresh(replacing:)``.
    ///
    /// ## Specification
    ///
    /// [RFC 9449 §7.1](https://www.rfc-editor.org/rfc/rfc9449#section-7.1),
    /// [RFC 9449 §9](https://www.rfc-editor.org/rfc/rfc9449#section-9),
    /// [RFC 9470 §3](https://www.rfc-editor.org/rfc/rfc9470#section-3)
    public func send(
        _ request: HTTPRequest,
        body: RequestBody = .inMemory,
        maximumBodySize: Int? = nil,
        timeout: Duration? = nil
    ) async throws(OAuthClientError) -> HTTPResponse {
        try await whole(bytes(for: request, body: body, timeout: timeout), maximumBodySize)
    }

    /// Sends a request to an API, and gives out the body of the response as it comes.
    ///
    /// - Parameters:
    ///   - request: A request as for ``send(_:body:maximumBodySize:timeout:)``.
    ///   - body: Where its body comes from.
    ///   - timeout: How long the request may go without progress; `nil` for as long as the transport allows.
    /// - Returns: The head of the response, whatever its status, and its body, of any length.
    /// - Throws: The codes of ``send(_:body:maximumBodySize:timeout:)``. Reading the body throws
    ///   ``OAuthClientError/Code/transportFailed`` when the connection breaks off, or when more of it waits to be read than
    ///   the transport may keep.
    public func bytes(
        for request: HTTPRequest,
        body: RequestBody = .inMemory,
        timeout: Duration? = nil
    ) async throws(OAuthClientError) -> StreamedResponse {
        try await exchange(request, body: body, timeout: timeout).response
    }

    /// Sends a request to an API, and writes the body of the response to a file.
    ///
    /// - Parameters:
    ///   - request: A request as for ``send(_:body:maximumBodySize:timeout:)``.
    ///   - path: Where a new file is made, which only the user may read. Nothing may be there.
    ///   - body: Where the body of the request comes from.
    ///   - timeout: How long the request may go without progress; `nil` for as long as the transport allows.
    /// - Returns: The response, its body empty here. Look at the status: an error has a body too, which is in the file then.
    /// - Throws: The codes of ``send(_:body:maximumBodySize:timeout:)``; ``OAuthClientError/Code/storageFailed`` when the file
    ///   cannot be written. There is no file then.
    public func download(
        for request: HTTPRequest,
        to path: String,
        body: RequestBody = .inMemory,
        timeout: Duration? = nil
    ) async throws(OAuthClientError) -> HTTPResponse {
        let response = try await bytes(for: request, body: body, timeout: timeout)
        try await DownloadFile.write(response.body.chunks, to: path)
        return HTTPResponse(status: response.status, fields: response.fields)
    }

    /// What happens to the account from now on; see ``TokenManager/events()``.
    ///
    /// - Returns: A stream of events.
    public func events() -> AsyncStream<SessionEvent> {
        tokenManager.events()
    }

    /// Ends the session: revokes the refresh token, then deletes the tokens, then the key with its nonces, even when the
    /// network fails.
    ///
    /// - Throws: What went wrong; see ``TokenManager/revoke()``. The user is signed out here nevertheless.
    public func signOut() async throws(OAuthClientError) {
        try await tokenManager.revoke()
    }

    /// Sends a request to an API, and says where the response comes from, which is another URL after a redirect.
    func exchange(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthClientError) -> (response: StreamedResponse, target: String) {
        let call = try ProtectedCall(request, body: body, timeout: timeout, client.urlPolicy)
        if case .file(let path) = body {
            // Before a token is fetched for it.
            _ = try await OAuthClientError.ofTransport { () async throws(OAuthCoreError) in
                try await UploadFile.open(path)
            }
        }
        return try await ProtectedExchange(client: client, tokenSource: tokenSource).run(call)
    }

    /// Receives the rest of a response, so many bytes at most; `nil` for as many as the transport allows.
    func whole(
        _ response: StreamedResponse,
        _ maximumBodySize: Int? = nil
    ) async throws(OAuthClientError) -> HTTPResponse {
        let limit = maximumBodySize ?? client.transport.maximumResponseSize
        let body = try await response.body.chunks.whole(
            atMost: limit,
            orThrow: OAuthClientError(
                transport: OAuthCoreError(.transportFailed, "the response is larger than \(limit) bytes")
            )
        )
        return HTTPResponse(status: response.status, fields: response.fields, body: body)
    }
}
