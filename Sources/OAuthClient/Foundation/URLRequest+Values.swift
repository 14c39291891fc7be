// SPDX-License-Identifier: Apache-2.0

#if FoundationAPI || canImport(Darwin)
import Foundation
import HTTPMessage
import OAuthTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPRequest {
    /// Converts a request, without its body stream.
    ///
    /// Without a URL the target is empty.
    init(_ request: URLRequest) {
        self.init(
            method: request.httpMethod ?? "GET",
            target: request.url?.absoluteString ?? "",
            fields: HTTPFields(
                // A dictionary has a different order in each process; tests need the same message each time.
                (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
                    .map { HTTPFields.Field(name: $0.key, value: $0.value) }
            ),
            body: request.httpBody.map { [UInt8]($0) } ?? []
        )
    }
}

extension RequestBody {
    /// The source of a request's body: its stream, or else memory.
    init(_ request: URLRequest) {
        guard let stream = request.httpBodyStream else {
            self = .inMemory
            return
        }
        let reader = InputStreamReader(stream)
        let length = request.value(forHTTPHeaderField: "Content-Length").flatMap { Int($0) }
        self = .stream(RequestBodyStream { try await reader.next() }, length: length)
    }
}

extension URLRequest {
    /// The default timeout of Foundation, in seconds.
    private static let usualTimeout = 60.0
    /// About thirty years, in seconds, for a timeout that means "never".
    private static let longestTimeout = 1e9

    /// How long the request may go without progress; `nil` for the limit of the transport.
    var timeout: Duration? {
        guard timeoutInterval > 0, timeoutInterval != Self.usualTimeout else { return nil }
        return .seconds(min(timeoutInterval, Self.longestTimeout))
    }
}

extension HTTPURLResponse {
    /// Makes Foundation's response from values.
    static func made(
        of status: Int,
        _ fields: HTTPFields,
        from target: String
    ) throws(OAuthClientError) -> HTTPURLResponse {
        let response = URL(string: target).flatMap { url in
            HTTPURLResponse(
                url: url,
                statusCode: status,
                httpVersion: "HTTP/1.1",
                // Each name once; several values are joined, as URLSession does.
                headerFields: Dictionary(fields.all.map { ($0.name, $0.value) }) { "\($0), \($1)" }
            )
        }
        guard let response else { throw OAuthClientError(.transportFailed, "the response is not one of HTTP") }
        return response
    }
}
#endif
