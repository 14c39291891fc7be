// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import Foundation
public import FoundationNetworking
public import HTTPMessage
public import OAuthCore

/// A transport on libcurl, for Linux: it follows no redirects and keeps nothing, no cookies, no cache, no credentials.
///
/// It is what clients use on Linux unless told otherwise. URLSession, which stands on libcurl there too, ends the process
/// when a server breaks off in the middle of a head, cannot present a client certificate, and has no settings for proxies
/// and TLS. Connections are kept open and used again, with HTTP/2 where the server speaks it; a body that is read slowly
/// makes the server wait.
///
/// Of a request of the app everything counts but its `timeoutInterval`, cache policy and other hints to URLSession: how long it
/// may take is ``CurlTransportConfiguration/timeout``. Answers are not decompressed, and compressed ones not asked for.
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
        return HTTPResponse(status: head.status, fields: head.fields, body: [UInt8](body))
    }

    /// Sends a request of the app as it is.
    ///
    /// - Parameter request: The request with token and proof.
    /// - Returns: The body and the response, whatever its status.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``.
    public func data(for request: URLRequest) async throws(OAuthCoreError) -> (Data, HTTPURLResponse) {
        try await whole(request, nil)
    }

    /// Sends a request of the app with a file as its body; the file is not loaded into memory.
    ///
    /// - Parameters:
    ///   - request: The request with token and proof, without a body.
    ///   - file: The URL of the file.
    /// - Returns: The body and the response, whatever its status.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``,
    ///   ``/OAuthCore/OAuthCoreError/Code/invalidRequest`` when it is no regular file that can be read.
    public func upload(
        for request: URLRequest,
        fromFile file: URL
    ) async throws(OAuthCoreError) -> (Data, HTTPURLResponse) {
        // A pipe would keep every other request waiting.
        try await whole(request, UploadFile(file).url.path)
    }

    /// Sends a request of the app, and gives out the body of the response as it comes.
    ///
    /// - Parameter request: The request with token and proof.
    /// - Returns: The body, of any length, and the head of the response, whatever its status.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``.
    public func bytes(for request: URLRequest) async throws(OAuthCoreError) -> (ResponseBytes, HTTPURLResponse) {
        let (exchange, response) = try await start(request, nil)
        return (exchange.bytes(), response)
    }

    private func whole(_ request: URLRequest, _ file: String?) async throws(OAuthCoreError) -> (Data, HTTPURLResponse) {
        let (exchange, response) = try await start(request, file)
        do {
            return (try await exchange.rest(maximumSize: configuration.maximumResponseSize), response)
        } catch {
            throw error
        }
    }

    private func start(
        _ request: URLRequest,
        _ file: String?
    ) async throws(OAuthCoreError) -> (CurlExchange, HTTPURLResponse) {
        guard let url = request.url else { throw OAuthCoreError(.invalidRequest, "the request has no URL") }
        let exchange: CurlExchange
        let head: CurlHeadReader.Head
        do {
            exchange = loop.start(try CurlRequest(request, file: file))
            head = try await exchange.head()
        } catch {
            throw error
        }
        return (exchange, try HTTPURLResponse.made(of: head.status, head.fields, from: url))
    }
}
#endif
