// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import OAuthCore
public import OAuthSystem
public import OAuthTransport

/// The session of a signed-in user: sends requests to APIs with the access token and a DPoP proof.
public final class OAuthSession: Sendable, RedactedSecret {
    /// Supplies and refreshes the tokens.
    public let tokenManager: TokenManager
    let client: OAuth2Client
    private let tokenSource: AccessTokenSource

    init(client: OAuth2Client, tokens: TokenSet, renewal: TokenRenewal? = nil) {
        self.client = client
        tokenManager = TokenManager(client: client, tokens: tokens, renewal: renewal)
        tokenSource = AccessTokenSource(manager: tokenManager)
    }

    private init(_ session: OAuthSession, resources: [String]) {
        client = session.client
        tokenManager = session.tokenManager
        tokenSource = AccessTokenSource(manager: tokenManager, resources: resources)
    }

    /// The same session, but its access tokens are for some resources only: a compromised API cannot use them anywhere
    /// else.
    ///
    /// Both sessions share tokens, key, refreshes, events and sign-out; see
    /// ``TokenManager/fetch(resources:replacing:)``.
    ///
    /// - Parameter resources: The resources that the access tokens are for, as in ``AuthorizationOptions/resources``.
    /// - Returns: The session.
    ///
    /// ## Specification
    ///
    /// [RFC 8707 §2.2](https://www.rfc-editor.org/rfc/rfc8707#section-2.2)
    public func limited(to resources: [String]) -> OAuthSession {
        // The order means nothing, and access tokens are cached by resources.
        OAuthSession(self, resources: resources.sorted())
    }

    /// Sends a request to an API, and receives the whole response.
    ///
    /// `Authorization` and a new `DPoP` field are added to the request and replace fields of the same name. It is sent
    /// again at most once for each of these reasons: the API demands a nonce that it had not sent before, the clock of
    /// the API differs, or the API responds with 401 `invalid_token` and there is a newer access token. A 403 is
    /// returned like every other response; so is a redirect, unless
    /// ``OAuth2ClientConfiguration/followsRedirectsWithinOneOriginWithNewProofs`` says otherwise.
    ///
    /// - Parameters:
    ///   - request: Any request with an absolute-form https target.
    ///   - body: The source of the body; by default the body of `request`. A file is not loaded into memory.
    ///   - maximumBodySize: The maximum size of the response body, in bytes; `nil` for `maximumResponseSize` of the
    ///     transport.
    ///   - timeout: How long the request may go without progress; `nil` for the limit of the transport.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``OAuthClientError/Code/sessionEnded`` when the user must sign in again,
    ///   ``OAuthClientError/Code/stepUpRequired`` when the user must sign in more strongly or more recently,
    ///   ``OAuthClientError/Code/bodyNotReplayable`` when a body stream would have to be sent again (call again with a
    ///   new stream), ``OAuthClientError/Code/insecureURL``,
    ///   ``OAuthClientError/Code/originNotAllowed``, ``OAuthClientError/Code/invalidArgument``, also when a
    ///   file cannot be read, and the codes of ``TokenManager/refresh(replacing:)``.
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

    /// Sends a request to an API, and returns the body of the response as a stream.
    ///
    /// - Parameters:
    ///   - request: A request as for ``send(_:body:maximumBodySize:timeout:)``.
    ///   - body: The source of the body.
    ///   - timeout: How long the request may go without progress; `nil` for the limit of the transport. A stream of events
    ///     that may be silent for long needs a long one; a connection must still be made within the limit of the transport.
    /// - Returns: The head of the response, whatever its status, and its body, of any length.
    /// - Throws: The codes of ``send(_:body:maximumBodySize:timeout:)``. Reading the body throws
    ///   ``OAuthClientError/Code/transportFailed`` when the connection breaks, or when more unread bytes arrive than
    ///   the transport may buffer.
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
    ///   - path: The path of a new file that only the user may read. Nothing may exist there.
    ///   - body: The source of the request's body.
    ///   - timeout: How long the request may go without progress; `nil` for the limit of the transport.
    /// - Returns: The response, with an empty body. Check the status: the body of an error response is written to the
    ///   file too.
    /// - Throws: The codes of ``send(_:body:maximumBodySize:timeout:)``; ``OAuthClientError/Code/storageFailed`` when
    ///   the file cannot be written. No file is left then.
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

    /// Reports events of the account from now on; see ``TokenManager/events()``.
    ///
    /// - Returns: A stream of events.
    public func events() -> AsyncStream<SessionEvent> {
        tokenManager.events()
    }

    /// Gets new tokens now, although the access token may still be valid: because the user asked for it, say.
    ///
    /// A pause after failures does not count, but a `Retry-After` of the server does.
    ///
    /// - Returns: What is known of the new access token.
    /// - Throws: The codes of ``TokenManager/refresh(replacing:)``.
    @discardableResult
    public func refresh() async throws(OAuthClientError) -> TokenFacts {
        TokenFacts(try await tokenManager.refresh())
    }

    /// Ends the session: forgets the tokens on this device, deletes the key with its nonces, and revokes the tokens at the
    /// server; see ``TokenManager/revoke()``.
    ///
    /// - Returns: What was done. The user is signed out on this device, unless ``SignOutResult/tokens`` says otherwise.
    @discardableResult
    public func signOut() async -> SignOutResult {
        await tokenManager.revoke()
    }

    /// Sends a request to an API, and also returns the URL of the response, which differs from the request's after a
    /// redirect.
    func exchange(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthClientError) -> (response: StreamedResponse, target: String) {
        let call = try client.protectedCall(request, body: body, timeout: timeout)
        if case .file(let path) = body {
            // Checked before a token is fetched for the request.
            _ = try await OAuthClientError.ofTransport { () async throws(OAuthCoreError) in
                try await UploadFile.open(path)
            }
        }
        return try await protectedExchange.run(call)
    }

    /// Sends calls with the tokens of this session.
    var protectedExchange: ProtectedExchange { ProtectedExchange(client: client, tokenSource: tokenSource) }

    /// Receives the rest of a response, at most `maximumBodySize` bytes; `nil` for the limit of the transport.
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
