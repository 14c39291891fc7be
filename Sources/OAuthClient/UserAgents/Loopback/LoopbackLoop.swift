// SPDX-License-Identifier: Apache-2.0

/// Serves the loopback address until the response has arrived and the last page was fetched.
///
/// Runs on its own thread, since it waits in `poll`.
struct LoopbackLoop {
    /// Why the wait for the response ended.
    enum Ending {
        case received(AuthorizationCallback)
        case timedOut
        case cancelled
    }

    private struct Connection {
        let socket: LoopbackSocket
        var bytes: [UInt8] = []
        /// Whether the browser waits here for the last page.
        var waitsForOutcome = false
    }

    private let listener: LoopbackSocket
    /// Readable as soon as the wait is cancelled, or the outcome is known.
    private let waker: WakeupPipe
    private let outcome: LoopbackOutcome
    private var conversation: LoopbackHandler
    private var connections: [Connection] = []
    /// Whether the browser has fetched the last page.
    private var isDone = false
    private let timeout: Duration

    /// Browsers open connections in advance; more than this many are closed.
    private static let maximumConnections = 32
    /// How long the last page waits for the outcome, and the app for the browser to fetch the page.
    private let requestTimeout: Duration
    /// How long a slow browser can still fetch the last page after the response has arrived.
    private let afterglow: Duration

    init(
        listener: LoopbackSocket,
        waker: WakeupPipe,
        outcome: LoopbackOutcome,
        conversation: LoopbackHandler,
        timeout: Duration,
        requestTimeout: Duration,
        afterglow: Duration
    ) {
        self.listener = listener
        self.waker = waker
        self.outcome = outcome
        self.conversation = conversation
        self.timeout = timeout
        self.requestTimeout = requestTimeout
        self.afterglow = afterglow
    }

    /// Serves until the last page is fetched, the time is up, or the wait is cancelled.
    ///
    /// - Parameter deliver: Called once: when the response has arrived, or will not.
    mutating func run(_ deliver: (Ending) -> Void) {
        defer { outcome.release() }
        let end = ContinuousClock.now + timeout
        while conversation.callback == nil {
            guard let event = serve(until: end) else { return deliver(.timedOut) }
            if event == .woken { return deliver(.cancelled) }
        }
        if let callback = conversation.callback { deliver(.received(callback)) }
        serveLastPage()
    }

    private mutating func serveLastPage() {
        let arrival = ContinuousClock.now
        while conversation.outcome == nil {
            if serve(until: arrival + requestTimeout) != .served { conclude() }
        }
        while !isDone, serve(until: arrival + requestTimeout) != nil {}
        // A slow browser can still fetch the page, and no caller waits for it.
        outcome.release()
        while !isDone, serve(until: arrival + afterglow) != nil {}
    }

    /// Decides what the last page says, and sends it to a browser that waits for it.
    private mutating func conclude() {
        let known = outcome.known ?? .unknown
        conversation.outcome = known
        for index in connections.indices.reversed() where connections[index].waitsForOutcome {
            finish(index, LoopbackPage.response(status: "200 OK", outcome: known))
            isDone = true
        }
    }

    private enum Event {
        case served
        case woken
    }

    /// Serves the connections that are ready, or waits for one.
    ///
    /// - Returns: What happened; `nil` when the time is up.
    private mutating func serve(until end: ContinuousClock.Instant) -> Event? {
        let left = ContinuousClock.now.duration(to: end)
        guard left > .zero else { return nil }
        let milliseconds = Int32(min(left, .seconds(60)) / .milliseconds(1)) + 1
        let sockets = [waker.socket, listener] + connections.map(\.socket)
        let ready = LoopbackSocket.wait(for: sockets, milliseconds: milliseconds)
        if ready.contains(0) {
            // Empties the pipe, which would stay readable.
            _ = waker.socket.receive()
            return .woken
        }
        // In reverse order, since finished connections are removed.
        for position in ready.reversed() where position >= 2 { serve(at: position - 2) }
        if ready.contains(1) { accept() }
        return .served
    }

    private mutating func accept() {
        while let socket = listener.acceptConnection() {
            if connections.count >= Self.maximumConnections { connections.removeFirst() }
            connections.append(Connection(socket: socket))
        }
    }

    private mutating func serve(at index: Int) {
        guard let chunk = connections[index].socket.receive() else { return }
        guard !chunk.isEmpty else {
            connections.remove(at: index)
            return
        }
        connections[index].bytes += chunk
        switch LoopbackRequest.read(connections[index].bytes) {
        case .incomplete: return
        case .malformed: finish(index, LoopbackPage.response(status: "400 Bad Request"))
        case .tooLarge: finish(index, LoopbackPage.response(status: "413 Content Too Large"))
        case .complete(let request): answer(index, request)
        }
    }

    private mutating func answer(_ index: Int, _ request: LoopbackRequest) {
        guard let response = conversation.answer(request) else {
            connections[index].waitsForOutcome = true
            return
        }
        if conversation.isForLastPage(request) { isDone = true }
        finish(index, response)
    }

    private mutating func finish(_ index: Int, _ response: [UInt8]) {
        connections[index].socket.finish(sending: response)
        connections.remove(at: index)
    }
}
