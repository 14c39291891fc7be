// SPDX-License-Identifier: Apache-2.0

#if FoundationAPI || canImport(Darwin)
public import HTTPMessage
public import OAuthCore

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A transport on URLSession that follows no redirects and stores no cookies, no cache and no credentials.
///
/// It is the default transport on Apple platforms. On Linux use ``CurlTransport``: there, URLSession ends the process
/// when a server closes the connection in the middle of a head or sends trailers (Swift 6.3), removes dot segments
/// from the URL, unlike the proof, and supports neither proxies nor client certificates.
///
/// On Apple platforms it can present a client certificate (RFC 8705), with the initializer that has the parameter
/// `presenting`. The proxy is the system's, unless `configure`
/// sets another one; TLS 1.2 is the minimum. The only trusted certificate authorities are those of the device,
/// including those that its owner or administrator added. To use the app's own authorities, implement ``ClientTransport`` on a
/// URLSession whose delegate handles `NSURLAuthenticationMethodServerTrust`.
public final class URLSessionTransport: ClientTransport {
    private let session: URLSession
    private let router: URLSessionTaskRouter
    /// Whether the transport was made with a client certificate.
    public let presentsClientCertificate: Bool
    /// The maximum size of an API's response, in bytes, when the caller gives none; for a streamed body, the maximum of
    /// unread bytes.
    public let maximumResponseSize: Int
    private let exchangeTimeout: Duration

    /// Makes a transport.
    ///
    /// - Parameters:
    ///   - timeout: How long a request may go without progress, in whole seconds.
    ///   - exchangeTimeout: The maximum duration of a protocol request, for servers that send a byte now and then. A
    ///     request of the app has no limit while there is progress.
    ///   - maximumResponseSize: The maximum size of an API's response, in bytes; by default 64 MiB. For a streamed
    ///     body, the maximum of unread bytes.
    ///   - configure: Changes the configuration of the URLSession first, for a custom proxy or network service, such as
    ///     `{ $0.connectionProxyDictionary = ... }`. Cookies, cache, credentials and timeouts are set afterwards.
    public convenience init(
        timeout: Duration = .seconds(30),
        exchangeTimeout: Duration = .seconds(60),
        maximumResponseSize: Int = 64 << 20,
        configure: (URLSessionConfiguration) -> Void = { _ in }
    ) {
        self.init(timeout, exchangeTimeout, maximumResponseSize, nil, configure)
    }

    #if !canImport(FoundationNetworking)
    /// Makes a transport that presents a client certificate (RFC 8705 section 2).
    ///
    /// - Parameters:
    ///   - timeout: How long a request may go without progress, in whole seconds.
    ///   - exchangeTimeout: The maximum duration of a protocol request.
    ///   - maximumResponseSize: The maximum size of an API's response, in bytes; by default 64 MiB.
    ///   - certificate: Returns the certificate with its key for a host that asks for one, such as
    ///     `URLCredential(identity: identity, certificates: nil, persistence: .none)`. Answer only the hosts of the
    ///     authorization server's `mtls_endpoint_aliases` and of the APIs that the tokens are for, and `nil` for all others: a
    ///     certificate tells a server who the device is. Called on a thread of URLSession; it may block.
    ///   - configure: Changes the configuration of the URLSession first.
    public convenience init(
        timeout: Duration = .seconds(30),
        exchangeTimeout: Duration = .seconds(60),
        maximumResponseSize: Int = 64 << 20,
        presenting certificate: @escaping @Sendable (_ host: String) -> URLCredential?,
        configure: (URLSessionConfiguration) -> Void = { _ in }
    ) {
        self.init(timeout, exchangeTimeout, maximumResponseSize, certificate, configure)
    }
    #endif

    private init(
        _ timeout: Duration,
        _ exchangeTimeout: Duration,
        _ maximumResponseSize: Int,
        _ certificate: URLSessionTaskRouter.Certificate?,
        _ configure: (URLSessionConfiguration) -> Void
    ) {
        router = URLSessionTaskRouter(certificate)
        presentsClientCertificate = certificate != nil
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
        // On Linux only whole seconds count, and zero seconds means no time at all.
        configuration.timeoutIntervalForRequest = (timeout / .seconds(1)).rounded(.up)
        self.exchangeTimeout = exchangeTimeout
        self.maximumResponseSize = maximumResponseSize
        session = URLSession(configuration: configuration, delegate: router, delegateQueue: nil)
    }

    deinit {
        // A URLSession retains its delegate until it is invalidated.
        session.finishTasksAndInvalidate()
    }

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
        var urlRequest = try Self.urlRequest(request)
        urlRequest.httpBody = request.body.isEmpty ? nil : Data(request.body)
        let exchange = start(session.dataTask(with: urlRequest), maximumBodySize)
        let timer = Task { [exchangeTimeout] in
            try await Task.sleep(for: exchangeTimeout)
            exchange.giveUp()
        }
        defer { timer.cancel() }
        let response = try await exchange.head()
        let body = try await exchange.rest(maximumSize: maximumBodySize)
        return HTTPResponse(status: response.statusCode, fields: HTTPFields(response), body: body)
    }

    /// Sends a request of the app, and returns the body of the response as a stream.
    ///
    /// - Parameters:
    ///   - request: The request with token and proof.
    ///   - body: The source of its body. A file is not loaded into memory. On Linux, a stream is.
    ///   - timeout: How long the request may go without progress, in whole seconds, rounded up; `nil` for the timeout
    ///     of the transport.
    /// - Returns: The head of the response, whatever its status, and its body, of any length.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``,
    ///   ``/OAuthCore/OAuthCoreError/Code/invalidRequest`` when the file is not a readable regular file.
    public func open(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthCoreError) -> StreamedResponse {
        var urlRequest = try Self.urlRequest(request)
        if let timeout { urlRequest.timeoutInterval = max((timeout / .seconds(1)).rounded(.up), 1) }
        let exchange: URLSessionExchange
        switch body {
        case .inMemory:
            urlRequest.httpBody = request.body.isEmpty ? nil : Data(request.body)
            exchange = start(session.dataTask(with: urlRequest), maximumResponseSize)
        case .file(let path):
            _ = try await UploadFile.open(path)
            // No body stream: for one, URLSession on Linux sends both a length and chunked coding, which servers
            // reject.
            let task = session.uploadTask(with: urlRequest, fromFile: URL(filePath: path))
            exchange = start(task, maximumResponseSize)
        case .stream(let stream, let length):
            exchange = try await start(urlRequest, streaming: stream, length)
        }
        let response = try await exchange.head()
        return StreamedResponse(
            status: response.statusCode,
            fields: HTTPFields(response),
            body: exchange.bytes()
        )
    }

    private static func urlRequest(_ request: HTTPRequest) throws(OAuthCoreError) -> URLRequest {
        guard let url = URL(string: request.target), url.absoluteString == request.target else {
            throw OAuthCoreError(.transportFailed, "the target of the request is not a URL")
        }
        var urlRequest = URLRequest(url: url)
        urlRequest.httpMethod = request.method
        for field in request.fields.all {
            urlRequest.addValue(field.value, forHTTPHeaderField: field.name)
        }
        return urlRequest
    }

    #if canImport(FoundationNetworking)
    /// On Linux, a task and the queue that reads its stream can wait for each other; a body that is already complete
    /// avoids that.
    private func start(
        _ request: URLRequest,
        streaming stream: RequestBodyStream,
        _ length: Int?
    ) async throws(OAuthCoreError) -> URLSessionExchange {
        var body: [UInt8] = []
        do {
            while let chunk = try await stream.next() { body += chunk }
        } catch {
            throw Self.unreadableBody
        }
        guard length == nil || body.count == length else { throw Self.unreadableBody }
        var request = request
        request.setValue(nil, forHTTPHeaderField: "Content-Length")
        request.httpBody = Data(body)
        return start(session.dataTask(with: request), maximumResponseSize)
    }
    #else
    private func start(
        _ request: URLRequest,
        streaming stream: RequestBodyStream,
        _ length: Int?
    ) async throws(OAuthCoreError) -> URLSessionExchange {
        guard let bridge = BodyStreamBridge(stream) else { throw Self.unreadableBody }
        var request = request
        request.httpBodyStream = bridge.input
        request.setValue(length.map(String.init), forHTTPHeaderField: "Content-Length")
        let exchange = start(session.dataTask(with: request), maximumResponseSize)
        bridge.start { [weak exchange] in exchange?.giveUp(Self.unreadableBody) }
        return exchange
    }
    #endif

    private static let unreadableBody = OAuthCoreError(
        .transportFailed,
        "the body of the request cannot be read, or is not as long as was said"
    )

    private func start(_ task: URLSessionDataTask, _ maximumUnreadSize: Int) -> URLSessionExchange {
        URLSessionExchange(task: task, router: router, maximumUnreadSize: maximumUnreadSize)
    }
}

extension HTTPFields {
    /// Converts the fields of a response of URLSession.
    fileprivate init(_ response: HTTPURLResponse) {
        self.init(
            response.allHeaderFields.compactMap { name, value in
                guard let name = name as? String, let value = value as? String else { return nil }
                return Field(name: name, value: value)
            }
        )
    }
}
#endif
