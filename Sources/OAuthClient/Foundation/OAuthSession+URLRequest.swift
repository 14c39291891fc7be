// SPDX-License-Identifier: Apache-2.0

#if FoundationAPI || canImport(Darwin)
public import Foundation
import HTTPMessage
import OAuthSystem
public import OAuthTransport
import StrictJSON

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Requests with Foundation's types, on top of the functions for values.
///
/// URL, method, header fields, body or body stream, and `timeoutInterval` of a `URLRequest` are used. Its other
/// properties, about connections and caching, are ignored: the transport decides.
extension OAuthSession {
    /// Authorizes a request that URLSession or another library sends; see ``authorization(method:url:)``.
    ///
    /// - Parameter request: A request with an https URL. Its fields `Authorization` and `DPoP` are set.
    /// - Returns: What the request is sent with, for ``authorization(after:response:body:)``.
    /// - Throws: The codes of ``authorization(method:url:)``.
    public func authorize(_ request: inout URLRequest) async throws(OAuthClientError) -> AuthorizedAttempt {
        let attempt = try await authorization(
            method: request.httpMethod ?? "GET",
            url: request.url?.absoluteString ?? ""
        )
        attempt.apply(to: &request)
        return attempt
    }

    /// Learns from the response to an authorized request; see ``authorization(after:status:fields:body:)``.
    ///
    /// - Parameters:
    ///   - attempt: What the request was sent with.
    ///   - response: The response.
    ///   - body: Its body.
    /// - Returns: What to send the same request with again, by ``AuthorizedAttempt/apply(to:)``; `nil` if the response is
    ///   for the caller.
    /// - Throws: The codes of ``authorization(after:status:fields:body:)``.
    public func authorization(
        after attempt: AuthorizedAttempt,
        response: HTTPURLResponse,
        body: Data = Data()
    ) async throws(OAuthClientError) -> AuthorizedAttempt? {
        var fields = HTTPFields()
        for name in ["WWW-Authenticate", "DPoP-Nonce", "Date", "Content-Type", "Retry-After"] {
            fields[name] = response.value(forHTTPHeaderField: name)
        }
        return try await authorization(
            after: attempt,
            status: response.statusCode,
            fields: fields,
            body: Array(body.prefix(65_536))
        )
    }

    /// Sends a request to an API.
    ///
    /// It is sent with token and proof, and repeated where that can help; see
    /// ``send(_:body:maximumBodySize:timeout:)``.
    ///
    /// - Parameter request: Any request with an https URL. Its `timeoutInterval` is how long it may go without
    ///   progress, in seconds; 60, the default of Foundation, means the timeout of the transport.
    /// - Returns: The body and the response, as from URLSession.
    /// - Throws: ``OAuthClientError/Code/sessionEnded`` when the user must sign in again,
    ///   ``OAuthClientError/Code/stepUpRequired`` when the user must sign in more strongly or more recently,
    ///   ``OAuthClientError/Code/bodyNotReplayable`` when a body stream would have to be sent again (call again with a
    ///   new stream), ``OAuthClientError/Code/insecureURL``,
    ///   ``OAuthClientError/Code/originNotAllowed``, ``OAuthClientError/Code/invalidArgument``, and the codes
    ///   of ``TokenManager/refresh(replacing:)``.
    ///
    /// ## Specification
    ///
    /// [RFC 9449 §7.1](https://www.rfc-editor.org/rfc/rfc9449#section-7.1),
    /// [RFC 9449 §9](https://www.rfc-editor.org/rfc/rfc9449#section-9),
    /// [RFC 9470 §3](https://www.rfc-editor.org/rfc/rfc9470#section-3)
    public func data(for request: URLRequest) async throws(OAuthClientError) -> (Data, URLResponse) {
        try await data(for: request, body: RequestBody(request))
    }

    /// Sends a request to an API, and lets the user sign in again if the API demands more than the session has.
    ///
    /// - Parameters:
    ///   - request: A request as for ``data(for:)``, without a body stream.
    ///   - handler: Decides whether the user signs in.
    /// - Returns: The body and the response, as from URLSession.
    /// - Throws: The codes of ``send(_:body:maximumBodySize:timeout:steppingUp:)``.
    public func data(
        for request: URLRequest,
        steppingUp handler: some StepUpHandler
    ) async throws(OAuthClientError) -> (Data, URLResponse) {
        let (response, target) = try await exchange(
            HTTPRequest(request),
            body: RequestBody(request),
            timeout: request.timeout,
            steppingUp: handler
        )
        let received = try await whole(response)
        return (Data(received.body), try HTTPURLResponse.made(of: received.status, received.fields, from: target))
    }

    /// Sends a request to an API, with a body.
    ///
    /// - Parameters:
    ///   - request: A request as for ``data(for:)``; its own body is ignored.
    ///   - body: The body.
    /// - Returns: The body of the response and its head.
    /// - Throws: The codes of ``data(for:)``.
    public func upload(
        for request: URLRequest,
        from body: Data
    ) async throws(OAuthClientError) -> (Data, URLResponse) {
        var request = request
        // Setting one clears the other.
        request.httpBodyStream = nil
        request.httpBody = body
        return try await data(for: request)
    }

    /// Sends a request to an API, with a file as its body.
    ///
    /// The file is not loaded into memory. If the request must be sent again, the file is read again; it must not
    /// change meanwhile.
    ///
    /// - Parameters:
    ///   - request: A request as for ``data(for:)``; its own body is ignored.
    ///   - file: The URL of a regular file.
    /// - Returns: The body of the response and its head.
    /// - Throws: The codes of ``data(for:)``; ``OAuthClientError/Code/invalidArgument`` also when the file cannot be
    ///   read.
    public func upload(
        for request: URLRequest,
        fromFile file: URL
    ) async throws(OAuthClientError) -> (Data, URLResponse) {
        guard file.isFileURL else { throw OAuthClientError(.invalidArgument, "the file to upload cannot be read") }
        return try await data(for: request, body: .file(path: file.path))
    }

    /// Sends a request to an API, and returns the body of the response as a stream.
    ///
    /// - Parameter request: A request as for ``data(for:)``.
    /// - Returns: The body, of any length, and the response.
    /// - Throws: The codes of ``data(for:)``. Reading the body throws ``OAuthClientError/Code/transportFailed`` when
    ///   the connection breaks, or when more unread bytes arrive than the transport may buffer.
    public func bytes(for request: URLRequest) async throws(OAuthClientError) -> (ResponseBytes, URLResponse) {
        let (response, target) = try await exchange(
            HTTPRequest(request),
            body: RequestBody(request),
            timeout: request.timeout
        )
        return (response.body, try HTTPURLResponse.made(of: response.status, response.fields, from: target))
    }

    /// Sends a request to an API, and writes the body of the response to a file.
    ///
    /// - Parameter request: A request as for ``data(for:)``.
    /// - Returns: A new file that only the user may read, in the directory for temporary files, and the response. Check
    ///   the status: an error response has a body too. The caller moves or deletes the file.
    /// - Throws: The codes of ``data(for:)``; ``OAuthClientError/Code/storageFailed`` when the file cannot be written.
    ///   No file is left then.
    public func download(for request: URLRequest) async throws(OAuthClientError) -> (URL, URLResponse) {
        let (bytes, response) = try await bytes(for: request)
        let name = "download-" + Base64URL.encode(client.entropy.bytes(16))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try await DownloadFile.write(bytes.chunks, to: file.path)
        return (file, response)
    }

    private func data(
        for request: URLRequest,
        body: RequestBody
    ) async throws(OAuthClientError) -> (Data, URLResponse) {
        let (response, target) = try await exchange(HTTPRequest(request), body: body, timeout: request.timeout)
        let received = try await whole(response)
        return (Data(received.body), try HTTPURLResponse.made(of: received.status, received.fields, from: target))
    }
}

extension AuthorizedAttempt {
    /// Sets the fields of a request.
    ///
    /// - Parameter request: The request; others of the same names are replaced.
    public func apply(to request: inout URLRequest) {
        for name in ["Authorization", "DPoP"] { request.setValue(fields[name], forHTTPHeaderField: name) }
    }
}
#endif
