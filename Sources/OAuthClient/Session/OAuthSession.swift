// SPDX-License-Identifier: Apache-2.0

public import Foundation
import OAuthCore
import OAuthSystem
public import OAuthTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

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

    /// Sends a request to an API.
    ///
    /// The request gets `Authorization` and a new `DPoP` field; what it had under these names is replaced. It is sent again
    /// at most once for each of these reasons: the API demands a nonce that it had not given before, the clock of the API
    /// turned out to be another one, the API answers 401 `invalid_token` and there is a new access token. A 403 is returned
    /// like every other answer; so is a redirect, unless
    /// ``OAuth2ClientConfiguration/followsRedirectsWithinOneOriginWithNewProofs`` says otherwise.
    ///
    /// - Parameter request: Any request with an https URL.
    /// - Returns: The body and the response, as from URLSession.
    /// - Throws: ``OAuthClientError/Code/sessionEnded`` when the user must sign in again,
    ///   ``OAuthClientError/Code/stepUpRequired`` when that must be done in another way,
    ///   ``OAuthClientError/Code/bodyNotReplayable`` when a body stream would have to be sent again (call again with a new
    ///   stream), ``OAuthClientError/Code/insecureURL``, ``OAuthClientError/Code/invalidArgument``, and the codes of
    ///   ``TokenManager/refresh(replacing:)``.
    ///
    /// ## Specification
    ///
    /// [RFC 9449 §7.1](https://www.rfc-editor.org/rfc/rfc9449#section-7.1),
    /// [RFC 9449 §9](https://www.rfc-editor.org/rfc/rfc9449#section-9),
    /// [RFC 9470 §3](https://www.rfc-editor.org/rfc/rfc9470#section-3)
    public func data(for request: URLRequest) async throws(OAuthClientError) -> (Data, URLResponse) {
        try await data(for: ProtectedCall(request, client.urlPolicy))
    }

    /// Sends a request to an API, with a body.
    ///
    /// - Parameters:
    ///   - request: A request as for ``data(for:)``; its own body is left out.
    ///   - body: The body.
    /// - Returns: The body of the answer and the response.
    /// - Throws: The codes of ``data(for:)``.
    public func upload(
        for request: URLRequest,
        from body: Data
    ) async throws(OAuthClientError) -> (Data, URLResponse) {
        var request = request
        // One of the two is set at a time.
        request.httpBodyStream = nil
        request.httpBody = body
        return try await data(for: request)
    }

    /// Sends a request to an API, with a file as its body.
    ///
    /// The file is not loaded into memory. When the request must be sent again it is read again; it must not change meanwhile.
    ///
    /// - Parameters:
    ///   - request: A request as for ``data(for:)``; its own body is left out.
    ///   - file: The URL of a regular file.
    /// - Returns: The body of the answer and the response.
    /// - Throws: The codes of ``data(for:)``; ``OAuthClientError/Code/invalidArgument`` too when the file cannot be read.
    public func upload(
        for request: URLRequest,
        fromFile file: URL
    ) async throws(OAuthClientError) -> (Data, URLResponse) {
        var request = request
        request.httpBody = nil
        request.httpBodyStream = nil
        let upload = try await OAuthClientError.ofTransport { () async throws(OAuthCoreError) in try UploadFile(file) }
        return try await data(for: ProtectedCall(request, uploading: upload, client.urlPolicy))
    }

    /// Sends a request to an API, and gives out the body of the answer as it comes.
    ///
    /// - Parameter request: A request as for ``data(for:)``.
    /// - Returns: The body, of any length, and the response.
    /// - Throws: The codes of ``data(for:)``. Reading the body throws ``OAuthClientError/Code/transportFailed`` when the
    ///   connection breaks off, or when more of it waits to be read than the transport may keep.
    public func bytes(for request: URLRequest) async throws(OAuthClientError) -> (ResponseBytes, URLResponse) {
        try await bytes(for: request, bearing: tokenSource)
    }

    func bytes(
        for request: URLRequest,
        bearing tokenSource: AccessTokenSource
    ) async throws(OAuthClientError) -> (ResponseBytes, URLResponse) {
        let transport = client.transport
        let exchange = ProtectedExchange<ResponseBytes>(client: client, tokenSource: tokenSource) {
            request,
            _ async throws(OAuthClientError) in
            let (bytes, response) = try await OAuthClientError.ofTransport { () async throws(OAuthCoreError) in
                try await transport.bytes(for: request)
            }
            return try await ReceivedAnswer(bytes, response)
        }
        let answer = try await exchange.run(ProtectedCall(request, client.urlPolicy))
        return (answer.body, answer.response)
    }

    /// Sends a request to an API, and writes the body of the answer to a file.
    ///
    /// - Parameter request: A request as for ``data(for:)``.
    /// - Returns: A new file that only the user may read, in the directory for temporary files, and the response. Look at the
    ///   status: an error has a body too. The caller moves or deletes the file.
    /// - Throws: The codes of ``data(for:)``; ``OAuthClientError/Code/storageFailed`` when the file cannot be written. There
    ///   is no file then.
    public func download(for request: URLRequest) async throws(OAuthClientError) -> (URL, URLResponse) {
        let (bytes, response) = try await bytes(for: request)
        return (try await DownloadFile.write(bytes.chunks, named: client.entropy.bytes(16)), response)
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

    private func data(for call: ProtectedCall) async throws(OAuthClientError) -> (Data, URLResponse) {
        let transport = client.transport
        let exchange = ProtectedExchange<Data>(client: client, tokenSource: tokenSource) {
            request,
            file async throws(OAuthClientError) in
            let (body, response) =
                try await OAuthClientError.ofTransport { () async throws(OAuthCoreError) in
                    if let file {
                        return try await transport.upload(for: request, fromFile: file.url)
                    }
                    return try await transport.data(for: request)
                }
            return ReceivedAnswer(body, response)
        }
        let answer = try await exchange.run(call)
        return (answer.body, answer.response)
    }
}
