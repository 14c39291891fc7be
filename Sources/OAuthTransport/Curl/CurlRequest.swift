// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthCore

/// A request in the form that libcurl sends.
struct CurlRequest: Sendable {
    let method: String
    let url: String
    let fields: [HTTPFields.Field]
    let body: CurlUpload.Source
    /// The maximum duration of the whole request; `nil` for no limit while there is progress.
    var limit: Duration?
    /// How long it may go without progress; `nil` for the timeout of the transport.
    var timeout: Duration?
    /// Whether it is sent unencrypted to this machine; a proxy of the environment must not read it.
    let isLocal: Bool

    /// Whether it may be sent again when a reused connection turns out to be closed.
    ///
    /// A server may already have processed a POST (RFC 9110 section 9.2.2), and a code or a refresh token that is used
    /// twice ends a session.
    var isRepeatable: Bool { ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"].contains(method) }

    /// Makes a protocol request.
    init(_ request: HTTPRequest, limit: Duration) throws(OAuthCoreError) {
        try self.init(request, body: .bytes(request.body))
        self.limit = limit
    }

    /// Makes a request of an app.
    init(_ request: HTTPRequest, body: CurlUpload.Source, timeout: Duration? = nil) throws(OAuthCoreError) {
        let (method, url, fields) = (request.method, request.target, request.fields.all)
        // libcurl must connect to the URL of the proof: only URLs that RFC 3986 parses unambiguously are accepted.
        guard let uri = try? URI(parsing: url), uri.scheme == "https" || uri.scheme == "http",
            let origin = uri.origin, uri.userinfo == nil
        else {
            throw OAuthCoreError(.transportFailed, "the target of the request is not a URL of https or http")
        }
        guard Self.isToken(method), fields.allSatisfy({ Self.isToken($0.name) && Self.isValue($0.value) }) else {
            throw OAuthCoreError(.transportFailed, "a field of the request has a character that HTTP does not allow")
        }
        self.method = method
        // The proof has the host in lower case, and libcurl sends `Host` as it is given. Path and query stay as they are; a
        // fragment is only for the client (RFC 9110 section 4.2.5).
        self.url = origin + uri.path + (uri.query.map { "?" + $0 } ?? "")
        self.body = body
        self.timeout = timeout
        isLocal = uri.scheme == "http" && uri.isLoopbackIPLiteral
        // libcurl sets the framing fields: two different lengths would split one request into two (request smuggling).
        self.fields = fields.filter { field in
            !["content-length", "transfer-encoding", "expect"].contains(field.name.lowercased())
        }
    }

    /// RFC 9110 section 5.6.2.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x21...0x7E).contains(byte) && !Array("\"(),/:;<=>?@[\\]{}".utf8).contains(byte)
            }
    }

    /// RFC 9110 section 5.5: no byte that could end the line.
    private static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
#endif
