// SPDX-License-Identifier: Apache-2.0

/// Serves the loopback address until the response arrives.
///
/// Runs on its own thread, since it waits in `poll`.
struct LoopbackLoop {
    /// Why the wait ended.
    enum Ending {
        case received(AuthorizationCallback)
        case timedOut
        case cancelled
    }

    private struct Connection {
        let socket: LoopbackSocket
        var bytes: [UInt8] = []
    }

    private let listener: LoopbackSocket
    /// Readable as soon as the wait is cancelled.
    private let waker: WakeupPipe
    private var conversation: LoopbackHandler
    private var connections: [Connection] = []
    private var deadline: ContinuousClock.Instant
    /// The latest time to deliver the response, once it has arrived.
    private var handover: ContinuousClock.Instant?

    /// Browsers open connections in advance; more than this many are closed.
    private static let maximumConnections = 32
    /// How long the app waits for the browser to fetch the last page: a command that exits stops serving it.
    private let requestTimeout: Duration
    /// How long a slow browser can still fetch the last page after the response is delivered.
    private let afterglow: Duration

    init(
        listener: LoopbackSocket,
        waker: WakeupPipe,
        conversation: LoopbackHandler,
        timeout: Duration,
        requestTimeout: Duration,
        afterglow: Duration
    ) {
        self.listener = listener
        self.waker = waker
        self.conversation = conversation
        self.requestTimeout = requestTimeout
        self.afterglow = afterglow
        deadline = .now + timeout
    }

    /// Serves until the last page is fetched, the time is up, or the wait is cancelled.
    ///
    /// - Parameter deliver: Called once with the outcome: when the last page is fetched, or shortly after the response
    ///   has arrived.
    mutating func run(_ deliver: (Ending) -> Void) {
        while !conversation.isDone {
            let end = min(handover ?? deadline, deadline)
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else {
                guard let callback = conversation.callback, handover != nil else { break }
                handover = nil
                return linger(after: { deliver(.received(callback)) })
            }
            guard serveOnce(left) else { return deliver(.cancelled) }
        }
        deliver(conversation.callback.map { .received($0) } ?? .timedOut)
    }

    /// Keeps serving the last page after the response is delivered; no caller waits for this.
    private mutating func linger(after deliver: () -> Void) {
        deliver()
        while !conversation.isDone {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero, serveOnce(left) else { return }
        }
    }

    /// Serves the ready connections, or waits for one.
    ///
    /// - Returns: Whether to continue: the wait was not cancelled.
    private mutating func serveOnce(_ left: Duration) -> Bool {
        let sockets = [waker.socket, listener] + connections.map(\.socket)
        let milliseconds = min(left, .seconds(60)) / .milliseconds(1)
        let ready = LoopbackSocket.wait(for: sockets, milliseconds: Int32(milliseconds) + 1)
        if ready.contains(0) { return false }
        // In reverse order, since finished connections are removed.
        for position in ready.reversed() where position >= 2 { serve(at: position - 2) }
        if ready.contains(1) { accept() }
        return true
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
        case .complete(let request): finish(index, answer(request))
        }
    }

    private mutating func answer(_ request: LoopbackRequest) -> [UInt8] {
        let wasWaiting = conversation.callback == nil
        let response = conversation.answer(request)
        if wasWaiting, conversation.callback != nil {
            handover = .now + requestTimeout
            deadline = .now + afterglow
        }
        return response
    }

    private mutating func finish(_ index: Int, _ response: [UInt8]) {
        connections[index].socket.finish(sending: response)
        connections.remove(at: index)
    }
}
