// SPDX-License-Identifier: Apache-2.0

/// One HTTP request as a value.
///
/// A server's request has an origin-form ``target`` (`/token?a=b`), the bytes as they were received: nothing is decoded,
/// so that a check of `htu` sees what the client sent. A client's request has an absolute-form target
/// (`https://auth.example.com/token`); RFC 9112 section 3.2.
public struct HTTPRequest: Sendable, Hashable {
    /// The method, case-sensitive (RFC 9110 section 9.1).
    public var method: String
    /// The request target, undecoded.
    public var target: String
    /// The header fields.
    public var fields: HTTPFields
    /// The body, whole; empty when there is none.
    public var body: [UInt8]
    /// The address of the peer of the connection, an IP literal without a port; `nil` for a client's request.
    public var peerAddress: String?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: The method, case-sensitive.
    ///   - target: The request target, undecoded.
    ///   - fields: The header fields.
    ///   - body: The whole body.
    ///   - peerAddress: The address of the peer, an IP literal without a port.
    public init(
        method: String = "GET",
        target: String,
        fields: HTTPFields = [:],
        body: [UInt8] = [],
        peerAddress: String? = nil
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.peerAddress = peerAddress
    }

    /// The path of an origin-form target, undecoded: what stands before the first `?`.
    public var path: Substring {
        Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") })
    }

    /// The query of the target, undecoded and without the `?`; `nil` when there is none.
    public var query: Substring? {
        let utf8 = target.utf8
        return utf8.firstIndex(of: UInt8(ascii: "?")).map { Substring(utf8[utf8.index(after: $0)...]) }
    }
}
