// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HTTPMessage
public import OAuthCore

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A transport on URLSession that follows no redirects and keeps nothing: no cookies, no cache, no credentials.
///
/// It presents no client certificate (URLSession on Linux cannot): for RFC 8705 implement ``ClientTransport`` on an HTTP
/// library that does, or on a URLSession of Apple whose delegate answers `NSURLAuthenticationMethodClientCertificate`. See
/// <doc:ConfidentialClients>.
public final class URLSessionTransport: ClientTransport {
    private let session: URLSession
    private let router = URLSessionTaskRouter()
    private let maximumResponseSize: Int

    /// Makes a transport.
    ///
    /// - Parameters:
    ///   - timeout: How long a request may go without progress.
    ///   - maximumResponseSize: What a response of an API may hold, in bytes; 64 MiB unless told otherwise. Of a body that
    ///     is read as it comes, so much may wait to be read.
    public init(timeout: Duration = .seconds(30), maximumResponseSize: Int = 64 << 20) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        #if canImport(Darwin)
        // RFC 9325 section 3.1.1. On Linux the TLS library of the system decides.
        configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
        #endif
        configuration.timeoutIntervalForRequest = TimeInterval(timeout.components.seconds)
        self.maximumResponseSize = maximumResponseSize
        session = URLSession(configuration: configuration, delegate: router, delegateQueue: nil)
    }

    deinit {
        // A session holds its delegate until it is invalidated.
        session.finishTasksAndInvalidate()
    }

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
        guard let url = URL(string: request.target), url.absoluteString == request.target else {
            throw OAuthCoreError(.transportFailed, "the target of the request is not a URL")
        }
        var urlRequest = URLRequest(url: url)
        urlRequest.httpMethod = request.method
        urlRequest.httpBody = request.body.isEmpty ? nil : Data(request.body)
        for field in request.fields.all {
            urlRequest.addValue(field.value, forHTTPHeaderField: field.name)
        }
        let (body, response) = try await Self.whole(start(urlRequest, maximumBodySize), maximumBodySize)
        return HTTPResponse(status: response.statusCode, fields: HTTPFields(response), body: [UInt8](body))
    }

    /// Sends a request of the app as it is.
    ///
    /// - Parameter request: The request with token and proof.
    /// - Returns: The body and the response, whatever its status.
    /// - Throws: ``OAuthClientError/Code/transportFailed``, ``OAuthClientError/Code/cancelled``.
    public func data(for request: URLRequest) async throws(OAuthClientError) -> (Data, HTTPURLResponse) {
        try await data(of: start(request, maximumResponseSize))
    }

    /// Sends a request of the app with a file as its body; the file is not loaded into memory.
    ///
    /// - Parameters:
    ///   - request: The request with token and proof, without a body.
    ///   - file: The URL of the file.
    /// - Returns: The body and the response, whatever its status.
    /// - Throws: ``OAuthClientError/Code/transportFailed``, ``OAuthClientError/Code/cancelled``.
    public func upload(
        for request: URLRequest,
        fromFile file: URL
    ) async throws(OAuthClientError) -> (Data, HTTPURLResponse) {
        // Not a body stream: for one, URLSession on Linux sends the length and the chunked coding, which servers refuse.
        try await data(of: start(session.uploadTask(with: request, fromFile: file), maximumResponseSize))
    }

    /// Sends a request of the app, and gives out the body of the response as it comes.
    ///
    /// - Parameter request: The request with token and proof.
    /// - Returns: The body, of any length, and the head of the response, whatever its status.
    /// - Throws: ``OAuthClientError/Code/transportFailed``, ``OAuthClientError/Code/cancelled``.
    public func bytes(for request: URLRequest) async throws(OAuthClientError) -> (ResponseBytes, HTTPURLResponse) {
        let exchange = start(request, maximumResponseSize)
        let response: HTTPURLResponse
        do {
            response = try await exchange.head()
        } catch {
            throw OAuthClientError(transport: error)
        }
        let chunks = ResponseChunks {
            do throws(OAuthCoreError) {
                return try await exchange.nextChunk()
            } catch {
                throw OAuthClientError(transport: error)
            }
        }
        return (ResponseBytes(chunks), response)
    }

    private func data(of exchange: URLSessionExchange) async throws(OAuthClientError) -> (Data, HTTPURLResponse) {
        do {
            return try await Self.whole(exchange, maximumResponseSize)
        } catch {
            throw OAuthClientError(transport: error)
        }
    }

    private static func whole(
        _ exchange: URLSessionExchange,
        _ maximumBodySize: Int
    ) async throws(OAuthCoreError) -> (Data, HTTPURLResponse) {
        let response = try await exchange.head()
        var body = Data()
        while let chunk = try await exchange.nextChunk() {
            guard chunk.count <= maximumBodySize - body.count else {
                throw OAuthCoreError(.transportFailed, "the response is larger than \(maximumBodySize) bytes")
            }
            body.append(chunk)
        }
        return (body, response)
    }

    private func start(_ request: URLRequest, _ maximumUnreadSize: Int) -> URLSessionExchange {
        var request = request
        #if canImport(FoundationNetworking)
        // Here a stream is sent in chunks whatever its length, and a length beside them would make two requests of one.
        if request.httpBodyStream != nil { request.setValue(nil, forHTTPHeaderField: "Content-Length") }
        #endif
        return start(session.dataTask(with: request), maximumUnreadSize)
    }

    private func start(_ task: URLSessionDataTask, _ maximumUnreadSize: Int) -> URLSessionExchange {
        URLSessionExchange(task: task, router: router, maximumUnreadSize: maximumUnreadSize)
    }
}
