// SPDX-License-Identifier: Apache-2.0

/// An HTTP request as a value.
///
/// A server receives an origin-form ``target`` (`/token?a=b`). Its bytes stay as received: nothing is decoded, so that
/// a check of `htu` sees what the client sent. A client sends an absolute-form target
/// (`https://auth.example.com/token`); RFC 9112 section 3.2.
public struct HTTPRequest: Sendable, Hashable {
    /// The method, case-sensitive (RFC 9110 section 9.1).
    public var method: String
    /// The request target, not decoded.
    public var target: String
    /// The header fields.
    public var fields: HTTPFields
    /// The complete body; empty if there is none.
    public var body: [UInt8]
    /// The peer address of the connection, an IP literal without a port; `nil` for a client's request.
    public var peerAddress: String?
    /// Whether the request came through a socket in the file system, whose mode says who may connect.
    ///
    /// Such a request has no ``peerAddress``. Only a listener sets this: trust does not rest on a missing address.
    public var isFromUnixSocket: Bool

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: The method, case-sensitive.
    ///   - target: The request target, not decoded.
    ///   - fields: The header fields.
    ///   - body: The complete body.
    ///   - peerAddress: The address of the peer, an IP literal without a port.
    ///   - isFromUnixSocket: Whether it came through a socket in the file system.
    public init(
        method: String = "GET",
        target: String,
        fields: HTTPFields = [:],
        body: [UInt8] = [],
        peerAddress: String? = nil,
        isFromUnixSocket: Bool = false
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.peerAddress = peerAddress
        self.isFromUnixSocket = isFromUnixSocket
    }

    /// The path of an origin-form target, not decoded: the part before the first `?`.
    public var path: Substring {
        Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") })
    }

    /// The query of the target, not decoded and without the `?`; `nil` if there is none.
    public var query: Substring? {
        let utf8 = target.utf8
        return utf8.firstIndex(of: UInt8(ascii: "?")).map { Substring(utf8[utf8.index(after: $0)...]) }
    }
}
