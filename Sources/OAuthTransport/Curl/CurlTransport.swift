// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import HTTPMessage
public import OAuthCore

/// A transport on libcurl, for Linux: it follows no redirects and keeps nothing, no cookies, no cache, no credentials.
///
/// It is what clients use on Linux unless told otherwise. URLSession, which stands on libcurl there too, ends the process
/// when a server breaks off in the middle of a head, cannot present a client certificate, and has no settings for proxies
/// and TLS. Connections are kept open and used again, with HTTP/2 where the server speaks it; a body that is read slowly
/// makes the server wait.
///
/// Responses are not decompressed, and compressed ones not asked for.
///
/// A request that a server may have acted on is never sent a second time by itself, since codes and refresh tokens are spent
/// by it; what does not get an answer is an error.
public final class CurlTransport: ClientTransport {
    private let configuration: CurlTransportConfiguration
    private let loop: CurlLoop

    /// Makes a transport; its thread starts with the first request, and loads libcurl when nobody in this process did.
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

    /// Whether there is a client certificate to present.
    public var presentsClientCertificate: Bool { configuration.clientCertificate != nil }

    /// What a response of an API may hold when the caller does not say: ``CurlTransportConfiguration/maximumResponseSize``.
    public var maximumResponseSize: Int { configuration.maximumResponseSize }

    /// Sends a request of the protocol.
    ///
    /// - Parameters:
    ///   - request: The request with an absolute-form target.
    ///   - maximumBodySize: What the response may hold, in bytes; receiving stops beyond it.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``.
    public func send(
        _ request: HTTPRequest,
        maximumBodySize: Int
    ) async throws(OAuthCoreError) -> HTTPResponse {
        let exchange = loop.start(try CurlRequest(request, limit: configuration.exchangeTimeout))
        let head = try await exchange.head()
        let body = try await exchange.rest(maximumSize: maximumBodySize)
        return HTTPResponse(status: head.status, fields: head.fields, body: body)
    }

    /// Sends a request of the app, and gives out the body of the response as it comes.
    ///
    /// - Parameters:
    ///   - request: The request with token and proof.
    ///   - body: Where its body comes from; a file is not loaded into memory.
    ///   - timeout: How long the request may go without progress, in whole seconds, rounded up; `nil` for
    ///     ``CurlTransportConfiguration/timeout``.
    /// - Returns: The head of the response, whatever its status, and its body, of any length.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``,
    ///   ``/OAuthCore/OAuthCoreError/Code/invalidRequest`` when the file is no regular file that can be read.
    public func open(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthCoreError) -> StreamedResponse {
        let source: CurlUpload.Source =
            switch body {
            case .inMemory: .bytes(request.body)
            // Opened here: a pipe, or a slow disk, would keep every other request waiting.
            case .file(let path): .file(try await UploadFile.open(path))
            case .stream(let stream, let length): .stream(BodyStreamReader(stream), length: length)
            }
        let exchange = loop.start(try CurlRequest(request, body: source, timeout: timeout))
        let head = try await exchange.head()
        return StreamedResponse(status: head.status, fields: head.fields, body: exchange.bytes())
    }
}
#endif
