// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

/// The URL that a check is about, and how requests get there: to its origin, whatever their path.
struct CheckedURL {
    let url: URI
    let transport: any HTTPTransport
    /// The same over HTTP/1.1, where the protocol of a connection can change.
    let changing: any HTTPTransport

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

    /// The fields that request a change to HTTP/2, with valid settings (RFC 7540 section 3.2; RFC 9113 has no such change).
    private static let change: HTTPFields = [
        "Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": settings,
    ]
    private static let settings = "AAMAAABkAAQCAAAAAAIAAAAA"

    /// Sends a request to change the connection to HTTP/2.
    func askForHTTP2(_ path: String, _ fields: HTTPFields = [:]) async throws(OAuthCoreError) -> HTTPResponse {
        try await sendOverHTTP1(path, HTTPFields(fields.all + Self.change.all))
    }

    /// Sends a request over HTTP/1.1, as ``askForHTTP2(_:_:)`` does.
    func sendOverHTTP1(_ path: String, _ fields: HTTPFields = [:]) async throws(OAuthCoreError) -> HTTPResponse {
        try await changing.send(
            HTTPRequest(method: "GET", target: origin + path, fields: fields),
            maximumBodySize: 1 << 20
        )
    }

    /// Whether the request to change to HTTP/2 reached an API that returns the fields it received.
    ///
    /// - Parameters:
    ///   - answer: Its answer.
    ///   - plain: Its answer to a request without these fields. The name of the protocol may be in the URL or the host.
    /// - Returns: Whether the answer contains the settings, or the name more often than the plain answer.
    static func isAskedForHTTP2(_ answer: HTTPResponse, unlike plain: HTTPResponse) -> Bool {
        let (text, before) = (Self.text(answer), Self.text(plain))
        return text.contains(text: settings) || text.split(atText: "h2c").count > before.split(atText: "h2c").count
    }

    private static func text(_ answer: HTTPResponse) -> String {
        String(decoding: answer.body, as: UTF8.self)
    }
}
