// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import HTTPMessage
public import OAuthCore

/// A transport on libcurl, for Linux: it follows no redirects and stores no cookies, no cache and no credentials.
///
/// It is the default transport on Linux. URLSession, which also uses libcurl there, ends the process when a server
/// closes the connection in the middle of a head, cannot present a client certificate, and has no settings for proxies
/// and TLS. Connections are kept open and reused, with HTTP/2 if the server supports it. If the app reads a body
/// slowly, the transport stops receiving until it catches up.
///
/// Responses are not decompressed, and compressed ones are not requested.
///
/// The transport never repeats a request that the server may have processed, since that would use a code or a refresh
/// token twice. A request without a response is an error.
public final class CurlTransport: ClientTransport {
    let configuration: CurlTransportConfiguration
    private let loop: CurlLoop

    /// Makes a transport.
    ///
    /// Its thread starts with the first request, and loads libcurl if the process has not loaded it yet.
    ///
    /// - Parameter configuration: How to connect.
    public convenience init(_ configuration: CurlTransportConfiguration = CurlTransportConfiguration()) {
        self.init(configuration, CurlLoop(configuration))
    }

    init(_ configuration: CurlTransportConfiguration, _ loop: CurlLoop) {
        self.configuration = configuration
        self.loop = loop
    }

    deinit {
        loop.stop()
    }

    /// Whether the configuration has a client certificate.
    public var presentsClientCertificate: Bool { configuration.clientCertificate != nil }

    /// The maximum size of an API's response, in bytes, when the caller gives none:
    /// ``CurlTransportConfiguration/maximumResponseSize``.
    public var maximumResponseSize: Int { configuration.maximumResponseSize }

    /// Sends a protocol request.
    ///
    /// - Parameters:
    ///   - request: The request with an absolute-form target.
    ///   - maximumBodySize: The maximum size of the response body, in bytes; receiving stops beyond it.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``.
    public func send(
        _ request: HTTPRequest,
        maximumBodySize: Int
    ) async throws(OAuthCoreError) -> HTTPResponse {
        let exchange = loop.start(try CurlRequest(request, limit: configuration.exchangeTimeout))
        let head = try await exchange.head()
        // What follows is not HTTP (RFC 9110 section 15.2.2), and may never end.
        guard head.status != 101 else { return HTTPResponse(status: head.status, fields: head.fields) }
        let body = try await exchange.rest(maximumSize: maximumBodySize)
        return HTTPResponse(status: head.status, fields: head.fields, body: body)
    }

    /// Sends a request of the app, and returns the body of the response as a stream.
    ///
    /// - Parameters:
    ///   - request: The request with token and proof.
    ///   - body: The source of its body; a file is not loaded into memory.
    ///   - timeout: How long the request may go without progress, in whole seconds, rounded up; `nil` for
    ///     ``CurlTransportConfiguration/timeout``.
    /// - Returns: The head of the response, whatever its status, and its body, of any length.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``,
    ///   ``/OAuthCore/OAuthCoreError/Code/invalidRequest`` when the file is not a readable regular file.
    public func open(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthCoreError) -> StreamedResponse {
        let source: CurlUpload.Source =
            switch body {
            case .inMemory: .bytes(request.body)
            // Opened here: opening a pipe, or a file on a slow disk, would block every other request.
            case .file(let path): .file(try await UploadFile.open(path))
            case .stream(let stream, let length): .stream(BodyStreamReader(stream), length: length)
            }
        let exchange = loop.start(try CurlRequest(request, body: source, timeout: timeout))
        let head = try await exchange.head()
        return StreamedResponse(status: head.status, fields: head.fields, body: exchange.bytes())
    }
}
#endif
