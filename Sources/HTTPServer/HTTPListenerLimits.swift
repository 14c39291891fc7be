// SPDX-License-Identifier: Apache-2.0

/// What a client may take of a listener's memory and time.
public struct HTTPListenerLimits: Sendable, Hashable {
    /// The largest request body, in bytes; more is answered 413.
    ///
    /// A larger `Content-Length` is refused before the body is read.
    public var bodySize: Int = 65_536

    /// The largest sum of request line and header fields, in bytes; more is answered 431, or 414 for the line alone.
    ///
    /// Every connection reserves a little more than this.
    public var headerSize: Int = 32_768

    /// How many connections may be open at once, at least one; those beyond wait in the system's queue.
    ///
    /// There are fewer when they would take the last 64 file descriptors of the process; see
    /// ``HTTPListener/connectionLimit``.
    public var connections: Int = 1024

    /// How long a connection may stand without a byte in either direction; rounded up to whole seconds.
    public var idleTimeout: Duration = .seconds(30)

    /// How long a handler may take to answer; then the client gets 503 and the handler's task is cancelled.
    ///
    /// A client that takes longer than this and ``idleTimeout`` together to send a request or to read an answer, slowly
    /// enough to keep the connection from being idle, is cut off.
    public var requestDeadline: Duration = .seconds(60)

    /// Makes the default limits.
    public init() {}
}
