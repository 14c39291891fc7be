// SPDX-License-Identifier: Apache-2.0

/// How much of a listener's memory and time a client may use.
public struct HTTPListenerLimits: Sendable, Hashable {
    /// The largest request body, in bytes; more is answered 413.
    ///
    /// A larger `Content-Length` is rejected before the body is read.
    public var bodySize: Int = 65_536

    /// The largest sum of request line and header fields, in bytes; more is answered 431, or 414 for the line alone.
    ///
    /// Every connection reserves a little more than this.
    public var headerSize: Int = 32_768

    /// How many connections may be open at once, at least one; further ones wait in the system's queue.
    ///
    /// The number is lower if they would use the last 64 file descriptors of the process; see
    /// ``HTTPListener/connectionLimit``.
    public var connections: Int = 1024

    /// How long a connection may be idle in both directions; rounded up to whole seconds.
    public var idleTimeout: Duration = .seconds(30)

    /// How long a handler may run; then the client gets 503 and the handler's task is cancelled.
    ///
    /// A client is disconnected if it takes longer than this plus ``idleTimeout`` to send a request or read a response,
    /// even if it sends or reads often enough not to be idle.
    public var requestDeadline: Duration = .seconds(60)

    /// Makes the default limits.
    public init() {}
}
