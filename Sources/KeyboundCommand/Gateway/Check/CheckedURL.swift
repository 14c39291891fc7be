// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore

/// The URL that a check is about, and how requests get there: to its origin, whatever their path.
struct CheckedURL {
    let url: URI
    let transport: any HTTPTransport

    var path: String { url.path }
    var origin: String { url.origin ?? "" }
    /// `htu` of a proof for this URL.
    var address: String { origin + path }

    func send(
        _ path: String,
        _ fields: HTTPFields = [:],
        method: String = "GET"
    ) async throws(OAuthCoreError) -> HTTPResponse {
        let request = HTTPRequest(method: method, target: origin + path, fields: fields)
        return try await transport.send(request, maximumBodySize: 1 << 20)
    }
}
