// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPRequest {
    /// The same request as a value, but for a body stream; without a URL its target is empty.
    init(_ request: URLRequest) {
        self.init(
            method: request.httpMethod ?? "GET",
            target: request.url?.absoluteString ?? "",
            fields: HTTPFields(
                // A dictionary has another order in each process; tests want the same message each time.
                (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
                    .map { HTTPFields.Field(name: $0.key, value: $0.value) }
            ),
            body: request.httpBody.map { [UInt8]($0) } ?? []
        )
    }
}

extension RequestBody {
    /// Where the body of a request comes from: its stream, or else memory.
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
    /// What a request has when nobody set its time-out, in seconds.
    private static let usualTimeout = 60.0
    /// Some thirty years, in seconds, for those who mean that it should never end.
    private static let longestTimeout = 1e9

    /// How long the request may go without progress; `nil` for as long as the transport allows.
    var timeout: Duration? {
        guard timeoutInterval > 0, timeoutInterval != Self.usualTimeout else { return nil }
        return .seconds(min(timeoutInterval, Self.longestTimeout))
    }
}

extension HTTPURLResponse {
    /// The head of a response, made of values.
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
                // Every name once, several values joined as URLSession does.
                headerFields: Dictionary(fields.all.map { ($0.name, $0.value) }) { "\($0), \($1)" }
            )
        }
        guard let response else { throw OAuthClientError(.transportFailed, "the response is not one of HTTP") }
        return response
    }
}
