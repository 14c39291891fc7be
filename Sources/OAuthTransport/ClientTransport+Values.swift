// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HTTPMessage
public import OAuthCore
import OAuthSystem

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension ClientTransport {
    /// No certificate.
    public var presentsClientCertificate: Bool { false }

    /// Sends a request of the app as an ``HTTPRequest`` value.
    ///
    /// - Parameter request: The request; its body must not be a stream. A response of more than 64 MiB is refused.
    /// - Returns: The body and the response, whatever its status.
    /// - Throws: ``OAuthCoreError/Code/transportFailed``, ``OAuthCoreError/Code/cancelled``,
    ///   ``OAuthCoreError/Code/invalidRequest`` for a body stream.
    public func data(for request: URLRequest) async throws(OAuthCoreError) -> (Data, HTTPURLResponse) {
        guard let url = request.url, request.httpBodyStream == nil else {
            throw OAuthCoreError(
                .invalidRequest,
                "this transport sends requests with a URL and a body in memory only"
            )
        }
        let message = HTTPRequest(
            method: request.httpMethod ?? "GET",
            target: url.absoluteString,
            fields: HTTPFields(
                // A dictionary has another order in each process; tests want the same message each time.
                (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
                    .map { HTTPFields.Field(name: $0.key, value: $0.value) }
            ),
            body: request.httpBody.map { [UInt8]($0) } ?? []
        )
        let response: HTTPResponse
        do {
            response = try await send(message, maximumBodySize: 64 << 20)
        } catch {
            throw error
        }
        return (Data(response.body), try HTTPURLResponse.made(of: response.status, response.fields, from: url))
    }

    /// Sends a request of the app with a file as its body, which is loaded into memory.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - file: The URL of the file.
    /// - Returns: The body and the response, whatever its status.
    /// - Throws: The codes of ``data(for:)``; ``OAuthCoreError/Code/invalidRequest`` for a file that cannot be read.
    public func upload(
        for request: URLRequest,
        fromFile file: URL
    ) async throws(OAuthCoreError) -> (Data, HTTPURLResponse) {
        var request = request
        do {
            request.httpBody = try await BlockingWork.run { try Data(contentsOf: file) }
        } catch {
            throw OAuthCoreError(.invalidRequest, "the file to upload cannot be read", underlying: error)
        }
        return try await data(for: request)
    }

    /// Sends a request of the app, and gives out the body of the response once it is there.
    ///
    /// - Parameter request: The request.
    /// - Returns: The body and the response, whatever its status.
    /// - Throws: The codes of ``data(for:)``.
    public func bytes(for request: URLRequest) async throws(OAuthCoreError) -> (ResponseBytes, HTTPURLResponse) {
        let (body, response) = try await data(for: request)
        return (ResponseBytes(ResponseChunks(body)), response)
    }
}

extension HTTPURLResponse {
    /// Makes the head of a response out of values.
    static func made(
        of status: Int,
        _ fields: HTTPFields,
        from url: URL
    ) throws(OAuthCoreError) -> HTTPURLResponse {
        let response = HTTPURLResponse(
            url: url,
            statusCode: status,
            httpVersion: "HTTP/1.1",
            headerFields: fields.joined
        )
        guard let response else { throw OAuthCoreError(.transportFailed, "the response is not one of HTTP") }
        return response
    }
}

extension HTTPFields {
    /// Every name once, several values joined as URLSession does.
    fileprivate var joined: [String: String] {
        Dictionary(all.map { ($0.name, $0.value) }) { "\($0), \($1)" }
    }

    /// The fields of a response of URLSession.
    package init(_ response: HTTPURLResponse) {
        self.init(
            response.allHeaderFields.compactMap { name, value in
                guard let name = name as? String, let value = value as? String else { return nil }
                return Field(name: name, value: value)
            }
        )
    }
}
