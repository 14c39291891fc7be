// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
public import HTTPMessage
import OAuthSystem
import Synchronization

/// An HTTP/1.1 server for any function from request to response, on GNU libmicrohttpd.
///
/// A few threads wait with epoll. They run the handler themselves until its first suspension, so a response that needs
/// no waiting costs no thread switch. While a handler is suspended, its thread serves other requests. A handler must
/// therefore never block.
///
/// Requests that two HTTP implementations could read differently are answered 400 and their connection is closed: no
/// `Host` or more than one, two lengths, `Content-Length` together with `Transfer-Encoding`, a coding other than
/// `chunked`, names that are not tokens, control characters, folded lines, lines that do not end in CR LF, a target
/// that is not a path and a query. The library itself accepts most of these. The checks of line ends and folding depend
/// on its buffer layout, which was verified for release 0.9.75. With another release, use a proxy that rejects such
/// requests.
///
/// A body in chunks is answered 411, because the library accepts chunk lines that do not end in CR LF, and no check can
/// see them. ``HTTPListenerLimits/acceptsChunkedBodies`` allows chunks; their extensions and the trailer fields are dropped.
///
/// The handler gets path and query undecoded, as the client sent them: `/a%00b%2Fc?x=%zz`.
public final class HTTPListener: Sendable {
    /// The port on which the server listens; 0 for a socket in the file system.
    public let port: UInt16
    /// How many connections may be open at once: ``HTTPListenerLimits/connections``, or what the system has descriptors for.
    ///
    /// It is fixed at the start, from the descriptors that were open then.
    public let connectionLimit: Int

    // Not private: tests look at what requests leave behind.
    let core: ListenerCore
    private let threads: [ListenerThread]
    private let acceptor: Acceptor
    private let socket: ListeningSocket
    private let deadlines: Task<Void, Never>
    private let stopping = Mutex<Task<Void, Never>?>(nil)

    /// Whether ``init(address:port:limits:threads:rejectionFields:refused:handler:)`` accepts an address, if this machine has it.
    ///
    /// - Parameter address: The address.
    /// - Returns: Whether it is an IPv4 or IPv6 literal without brackets.
    public static func isAddress(_ address: String) -> Bool {
        ListeningSocket.isLiteral(address)
    }

    /// Whether a socket can have a path (`ListeningAddress.unixSocket`).
    ///
    /// - Parameter path: The path.
    /// - Returns: Whether it has 1 to 107 bytes and no zero byte.
    public static func isSocketPath(_ path: String) -> Bool {
        SocketFile.isPath(path)
    }

    /// Listens and serves requests until ``stop(draining:)``.
    ///
    /// - Parameters:
    ///   - address: An IPv4 or IPv6 literal without brackets; `::` and `0.0.0.0` are all addresses of their kind.
    ///   - port: The port; 0 for any that is free, see ``port``.
    ///   - limits: How much memory and time a client may use.
    ///   - threads: How many threads serve requests; `nil` for one per processor.
    ///   - rejectionFields: Fields of each response that the listener makes itself, such as
    ///     `Strict-Transport-Security`. The underlying library answers some malformed requests without them.
    ///   - refused: Called before the listener answers a request itself, such as a malformed one or one whose handler is
    ///     too late; it must not block. It is not called for what the underlying library rejects or cuts off by itself.
    ///   - handler: Makes the response. It must not block and may run on any thread. The status must be 200 to 599; a
    ///     response that cannot be written becomes a 500. `Content-Length` and `Date` are added; the body of a response
    ///     to HEAD is not sent.
    /// - Throws: ``HTTPServerError/Code/invalidAddress``, ``HTTPServerError/Code/cannotListen``.
    public convenience init(
        address: String = "127.0.0.1",
        port: UInt16,
        limits: HTTPListenerLimits = HTTPListenerLimits(),
        threads: Int? = nil,
        rejectionFields: HTTPFields = [:],
        refused: (@Sendable (RejectedRequest) -> Void)? = nil,
        handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) throws(HTTPServerError) {
        try self.init(
            on: .network(address, port: port),
            limits: limits,
            threads: threads,
            rejectionFields: rejectionFields,
            refused: refused,
            handler: handler
        )
    }

    /// Listens at an address, at a socket in the file system, or at one that the parent process opened.
    ///
    /// - Parameters:
    ///   - place: Where to accept connections. Those of a socket in the file system count as
    ///     ``HTTPListenerLimits/trustedPeers``, and their requests have ``/HTTPMessage/HTTPRequest/isFromUnixSocket``.
    ///   - limits: How much memory and time a client may use.
    ///   - threads: How many threads serve requests; `nil` for one per processor.
    ///   - rejectionFields: Fields of each response that the listener makes itself, such as
    ///     `Strict-Transport-Security`. The underlying library answers some malformed requests without them.
    ///   - refused: Called before the listener answers a request itself; it must not block.
    ///   - handler: Makes the response; it must not block and may run on any thread.
    /// - Throws: ``HTTPServerError/Code/invalidAddress``, ``HTTPServerError/Code/cannotListen``.
    public init(
        on place: ListeningAddress,
        limits: HTTPListenerLimits = HTTPListenerLimits(),
        threads: Int? = nil,
        rejectionFields: HTTPFields = [:],
        refused: (@Sendable (RejectedRequest) -> Void)? = nil,
        handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) throws(HTTPServerError) {
        let socket = try ListeningSocket(place)
        let core = ListenerCore(limits: limits, rejectionFields: rejectionFields, refused: refused, handler: handler)
        let count = max(threads ?? sysconf(CInt(_SC_NPROCESSORS_ONLN)), 1)
        let limit = DescriptorBudget.connections(
            atMost: max(limits.connections, 1),
            beside: count * ListenerThread.descriptors
        )
        guard let acceptor = Acceptor(socket: socket, threads: count, limit: limit, core: core) else {
            socket.close()
            throw Self.hasNoRoom
        }
        let started = try Self.start(count, core, acceptor, socket) { number in
            ListenerThread(core: core, acceptor: acceptor, number: number)
        }
        self.port = socket.port
        connectionLimit = limit
        self.core = core
        self.acceptor = acceptor
        self.socket = socket
        self.threads = started
        deadlines = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: core.deadlineInterval)
                core.enforceDeadlines()
                acceptor.retry()
            }
        }
    }

    deinit {
        guard stopping.withLock({ $0 == nil }) else { return }
        deadlines.cancel()
        acceptor.stop()
        let (core, threads, socket) = (core, threads, socket)
        _ = DetachedThread.start {
            core.close()
            Self.end(threads, socket: socket)
        }
    }

    /// How many clients were disconnected, since the start.
    ///
    /// - Parameter reason: Why.
    /// - Returns: The number.
    public func cutConnections(_ reason: ConnectionCutReason) -> Int {
        core.connections.cutCount(reason)
    }

    /// Stops gracefully: accepts no more connections, finishes requests that have begun, then closes everything.
    ///
    /// Requests whose handlers have not returned after `draining` get 503, and their tasks are cancelled. A second call
    /// waits for the first one to finish.
    ///
    /// - Parameter draining: How long to wait for responses.
    public func stop(draining: Duration) async {
        let task = stopping.withLock { task in
            if let task { return task }
            let started = Task { [core, threads, acceptor, socket, deadlines] in
                core.drain()
                acceptor.stop()
                await Self.stop(core, threads, socket: socket, draining: draining)
                deadlines.cancel()
            }
            task = started
            return started
        }
        await task.value
    }

    private static func stop(
        _ core: ListenerCore,
        _ threads: [ListenerThread],
        socket: ListeningSocket,
        draining: Duration
    ) async {
        await waitForRequests(core, atMost: draining)
        core.close()
        // Gives the threads time to send the last responses.
        await waitForRequests(core, atMost: .seconds(1))
        await withCheckedContinuation { continuation in
            let ending: @Sendable () -> Void = {
                core.close()
                end(threads, socket: socket)
                continuation.resume()
            }
            // If no thread can be started, blocking for a moment is better than not stopping.
            if !DetachedThread.start(ending) { ending() }
        }
    }

    private static func waitForRequests(_ core: ListenerCore, atMost limit: Duration) async {
        let end = ContinuousClock.now + limit
        while core.inFlightCount > 0, ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Starts the threads; if one cannot be started, ends those that serve clients already.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - core: The state that they share.
    ///   - acceptor: Distributes the connections.
    ///   - socket: Closed if a thread cannot be started.
    ///   - thread: Starts the thread with a number; `nil` if the system has no room for it.
    /// - Returns: The threads.
    /// - Throws: ``HTTPServerError/Code/cannotListen``.
    static func start(
        _ count: Int,
        _ core: ListenerCore,
        _ acceptor: Acceptor,
        _ socket: ListeningSocket,
        thread: (Int) -> ListenerThread?
    ) throws(HTTPServerError) -> [ListenerThread] {
        var started: [ListenerThread] = []
        for number in 0..<count {
            guard let next = thread(number) else {
                acceptor.stop()
                // Closes the connections that wait for threads that were never started.
                for inbox in acceptor.inboxes { inbox.close() }
                core.close()
                end(started, socket: socket)
                throw hasNoRoom
            }
            started.append(next)
        }
        return started
    }

    /// Blocks until the threads have ended.
    ///
    /// No connection may be suspended.
    private static func end(_ threads: [ListenerThread], socket: ListeningSocket) {
        for thread in threads { thread.end() }
        for thread in threads { thread.waitForEnd() }
        socket.close()
    }

    private static var hasNoRoom: HTTPServerError {
        HTTPServerError(.cannotListen, "the system has no threads, memory or file descriptors for the listener")
    }
}
#endif
