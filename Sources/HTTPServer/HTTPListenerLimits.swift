// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

/// How much of a listener's memory and time a client may use.
public struct HTTPListenerLimits: Sendable, Hashable {
    /// The largest request body, in bytes; more is answered 413.
    ///
    /// A larger `Content-Length` is rejected before the body is read.
    public var bodySize: Int = 65_536

    /// Whether a request may have a body in chunks; by default it is answered 411 before any of the body is read
    /// (RFC 9112 section 6.3).
    ///
    /// The underlying library accepts chunk lines that end in a bare LF, and a proxy in front may read those differently.
    /// Set it only for clients that cannot send a length, if no proxy passes their chunks on.
    public var acceptsChunkedBodies = false

    /// Whether a field value with control characters or bytes that are not UTF-8 is replaced by `HTTPFields.unreadable`, instead
    /// of rejecting the request with 400 (RFC 9110 section 5.5).
    ///
    /// For a program that reads few of the fields and must have an answer for every request. CR, LF and NUL, and such values of
    /// `Host`, `Content-Length` and `Transfer-Encoding`, are rejected in any case.
    package var replacesUnreadableValues = false

    /// The largest sum of request line and header fields, in bytes; more is answered 431, or 414 for the line alone.
    ///
    /// Every connection reserves a little more than this.
    public var headerSize: Int = 32_768

    /// How many connections may be open at once, at least one; further ones wait in the system's queue.
    ///
    /// The number is lower if they would use the last 64 file descriptors that the process has left when the listener
    /// starts; see ``HTTPListener/connectionLimit``. A listener does not count what other listeners may still take. A
    /// program with several listeners must choose numbers whose sum leaves descriptors free.
    public var connections: Int = 1024

    /// How many connections one address may have open, for IPv6 one /64; `nil` for no limit of its own.
    ///
    /// A further connection replaces the one of the same address that has waited longest for a request. If all of them
    /// are at work, the new one is closed.
    public var connectionsPerPeer: Int? = 128

    /// Reverse proxies, by default those of the same machine: ``connectionsPerPeer`` does not apply to them, and their
    /// connections are kept for ``trustedKeepAliveTimeout``.
    public var trustedPeers: [IPAddressRange] = TrustedProxies.loopback.ranges

    /// How long a new connection may take to send its first request line and header fields.
    public var headTimeout: Duration = .seconds(10)

    /// How long a request body may take, from the end of the header fields.
    public var bodyTimeout: Duration = .seconds(20)

    /// How long a connection is kept for the next request, and that request's header fields, after a response.
    ///
    /// What the client sends in the meantime does not extend it.
    public var keepAliveTimeout: Duration = .seconds(30)

    /// The same for ``trustedPeers``.
    ///
    /// It should be longer than a proxy keeps its own connections (60 seconds for nginx, 120 for Caddy). Otherwise a proxy sends a
    /// request on a connection that closes at the same moment, and has to answer 502.
    public var trustedKeepAliveTimeout: Duration = .seconds(150)

    /// How long a client may take to read a response.
    public var answerTimeout: Duration = .seconds(60)

    /// How long a handler may run; then the client gets 503 and the handler's task is cancelled.
    public var requestDeadline: Duration = .seconds(60)

    /// Makes the default limits.
    public init() {}
}

extension HTTPListenerLimits {
    /// How much memory the library has for the head of a request and that of its response, in bytes.
    ///
    /// The parser's bookkeeping and the start of the response share it with the header fields.
    var connectionMemory: Int { max(headerSize, 1024) + 8192 }
}
