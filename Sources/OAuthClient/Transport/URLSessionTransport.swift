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
/// library that does, such as libcurl or AsyncHTTPClient, or on a URLSession of Apple whose delegate answers
/// `NSURLAuthenticationMethodClientCertificate`.
public final class URLSessionTransport: ClientTransport {
    private let session: URLSession
    private let router = URLSessionTaskRouter()
    private let maximumResponseSize: Int

    /// Makes a transport.
    ///
    /// - Parameters:
    ///   - timeout: How long a request may go without progress.
    ///   - maximumResponseSize: What a response of an API may hold, in bytes; 64 MiB unless told otherwise.
    public init(timeout: Duration = .seconds(30), maximumResponseSize: Int = 64 << 20) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
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
        let (body, response) = try await perform(urlRequest, maximumBodySize)
        return HTTPResponse(status: response.statusCode, fields: HTTPFields(response), body: [UInt8](body))
    }

    /// Sends a request of the app as it is.
    ///
    /// - Parameter request: The request with token and proof.
    /// - Returns: The body and the response, whatever its status.
    /// - Throws: ``OAuthClientError/Code/transportFailed``, ``OAuthClientError/Code/cancelled``.
    public func data(for request: URLRequest) async throws(OAuthClientError) -> (Data, HTTPURLResponse) {
        do {
            return try await perform(request, maximumResponseSize)
        } catch {
            throw OAuthClientError(transport: error)
        }
    }

    private func perform(
        _ request: URLRequest,
        _ maximumBodySize: Int
    ) async throws(OAuthCoreError) -> (Data, HTTPURLResponse) {
        let task = session.dataTask(with: request)
        defer { router.forget(task) }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    router.run(task, maximumBodySize: maximumBodySize, continuation)
                }
            } onCancel: {
                router.cancel(task)
            }
        } catch let error as OAuthCoreError {
            throw error
        } catch {
            throw OAuthCoreError(.transportFailed, "the connection failed", underlying: error)
        }
    }
}
