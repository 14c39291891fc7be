// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HTTPMessage
public import OAuthCore

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A transport on URLSession that follows no redirects and keeps nothing: no cookies, no cache, no credentials.
///
/// What clients use on Apple platforms unless told otherwise. On Linux take ``CurlTransport``: URLSession ends the process
/// there when a server breaks off in the middle of a head or sends trailers (Swift 6.3), and knows neither proxies nor
/// client certificates.
///
/// It presents no client certificate: for RFC 8705 on Apple platforms implement ``ClientTransport`` on a URLSession whose
/// delegate answers `NSURLAuthenticationMethodClientCertificate`. The proxy is the system's, unless `configure` sets another
/// one; TLS 1.2 is the least. Servers are certified by the authorities of the device, those that its owner or administrator
/// added included, and by no others: for authorities of the app's own, let the delegate of such a transport also answer
/// `NSURLAuthenticationMethodServerTrust`.
public final class URLSessionTransport: ClientTransport {
    private let session: URLSession
    private let router = URLSessionTaskRouter()
    private let maximumResponseSize: Int
    private let exchangeTimeout: Duration

    /// Makes a transport.
    ///
    /// - Parameters:
    ///   - timeout: How long a request may go without progress, in whole seconds.
    ///   - exchangeTimeout: How long a request of the protocol may take as a whole, for servers that send a byte now and
    ///     then; requests of the app may take as long as there is progress.
    ///   - maximumResponseSize: What a response of an API may hold, in bytes; 64 MiB unless told otherwise. Of a body that
    ///     is read as it comes, so much may wait to be read.
    ///   - configure: Changes the configuration of the URLSession first, for a proxy or a network service of one's own:
    ///     `{ $0.connectionProxyDictionary = ... }`. Cookies, cache, credentials and timeouts are set afterwards.
    public init(
        timeout: Duration = .seconds(30),
        exchangeTimeout: Duration = .seconds(60),
        maximumResponseSize: Int = 64 << 20,
        configure: (URLSessionConfiguration) -> Void = { _ in }
    ) {
        let configuration = URLSessionConfiguration.ephemeral
        #if !canImport(FoundationNetworking)
        configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
        #endif
        configure(configuration)
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // On Linux only whole seconds count, and none of them is no time at all.
        configuration.timeoutIntervalForRequest = (timeout / .seconds(1)).rounded(.up)
        self.exchangeTimeout = exchangeTimeout
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
        let exchange = start(urlRequest, maximumBodySize)
        let timer = Task { [exchangeTimeout] in
            try await Task.sleep(for: exchangeTimeout)
            exchange.giveUp()
        }
        defer { timer.cancel() }
        let response = try await exchange.head()
        let body = try await exchange.rest(maximumSize: maximumBodySize)
        return HTTPResponse(status: response.statusCode, fields: HTTPFields(response), body: [UInt8](body))
    }

    /// Sends a request of the app as it is.
    ///
    /// - Parameter request: The request with token and proof.
    /// - Returns: The body and the response, whatever its status.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``.
    public func data(for request: URLRequest) async throws(OAuthCoreError) -> (Data, HTTPURLResponse) {
        try await data(of: start(request, maximumResponseSize))
    }

    /// Sends a request of the app with a file as its body; the file is not loaded into memory.
    ///
    /// - Parameters:
    ///   - request: The request with token and proof, without a body.
    ///   - file: The URL of the file.
    /// - Returns: The body and the response, whatever its status.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``.
    public func upload(
        for request: URLRequest,
        fromFile file: URL
    ) async throws(OAuthCoreError) -> (Data, HTTPURLResponse) {
        // Not a body stream: for one, URLSession on Linux sends the length and the chunked coding, which servers refuse.
        try await data(of: start(session.uploadTask(with: request, fromFile: file), maximumResponseSize))
    }

    /// Sends a request of the app, and gives out the body of the response as it comes.
    ///
    /// - Parameter request: The request with token and proof.
    /// - Returns: The body, of any length, and the head of the response, whatever its status.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``.
    public func bytes(for request: URLRequest) async throws(OAuthCoreError) -> (ResponseBytes, HTTPURLResponse) {
        let exchange = start(request, maximumResponseSize)
        let response: HTTPURLResponse
        do {
            response = try await exchange.head()
        } catch {
            throw error
        }
        return (exchange.bytes(), response)
    }

    private func data(of exchange: URLSessionExchange) async throws(OAuthCoreError) -> (Data, HTTPURLResponse) {
        do {
            let response = try await exchange.head()
            return (try await exchange.rest(maximumSize: maximumResponseSize), response)
        } catch {
            throw error
        }
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
