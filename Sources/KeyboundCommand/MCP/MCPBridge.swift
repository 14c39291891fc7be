// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthTransport
import StrictJSON
import Synchronization

/// Passes messages between an MCP client that speaks stdio and an MCP server that speaks Streamable HTTP.
///
/// Requests run at the same time. `initialize`, notifications and responses are passed on one by one, before the next line
/// is read: a server must know of them when the next message arrives.
final class MCPBridge: Sendable {
    /// How many requests may wait for their response.
    static let maximumCalls = 64
    /// How long requests in progress may take after the end of the input.
    static let drainTime = Duration.seconds(30)
    /// How long a stream may stay open after the response.
    private static let lingerTime = Duration.seconds(2)
    /// How long the server may take to respond to `initialize`, while the next line waits.
    private static let initializeTime = Duration.seconds(60)
    /// How long the end of a session may take.
    private static let farewellTime = Duration.seconds(3)

    private struct Call: Sendable {
        let task: Task<Bool, Never>
        let id: JSONValue
        /// Whether the request is of a revision in which the end of the connection cancels it.
        let endsWithConnection: Bool
        var isAnswered = false
    }

    private struct State {
        var calls: [Int: Call] = [:]
        var nextNumber = 0
        var listener: Task<Void, Never>?
        /// The end, for everybody who waits for it.
        var ending: Task<Void, Never>?
    }

    private let link: MCPServerLink
    private let state = Mutex(State())

    init(_ link: MCPServerLink) {
        self.link = link
    }

    /// Passes on every line, and ends the session after the last one.
    ///
    /// - Parameter next: Waits for the next line; `nil` at the end.
    func run(_ next: @Sendable () async -> InputLine?) async {
        while let line = await next() { await take(line) }
        await end(draining: Self.drainTime)
    }

    /// Waits for the requests in progress, cancels the rest, and ends the session.
    ///
    /// It ends once: a later caller waits for the same end, and with the limit zero cancels the requests in progress at once.
    ///
    /// - Parameter limit: How long to wait for the requests.
    func end(draining limit: Duration) async {
        let (ending, overdue) = state.withLock { state -> (Task<Void, Never>, [Call]) in
            if let ending = state.ending { return (ending, limit == .zero ? Array(state.calls.values) : []) }
            // It waits for this lock.
            let ending = Task { await self.finish(draining: limit) }
            state.ending = ending
            return (ending, [])
        }
        for call in overdue { call.task.cancel() }
        await ending.value
    }

    private func finish(draining limit: Duration) async {
        let (listener, calls) = state.withLock { state -> (Task<Void, Never>?, [Call]) in
            (state.listener, Array(state.calls.values))
        }
        listener?.cancel()
        let waiting = calls.filter { !$0.isAnswered }
        await link.within(limit) {
            await withTaskCancellationHandler {
                for call in waiting { _ = await call.task.value }
            } onCancel: {
                for call in waiting { call.task.cancel() }
            }
        }
        for call in calls { call.task.cancel() }
        for call in waiting {
            let hasResponse = await call.task.value
            guard !hasResponse else { continue }
            let failure = MCPFailure(.failed, "the input ended before the MCP server responded")
            await link.output(failure.line(answering: call.id))
        }
        let session = link.sessions.current
        guard session.id != nil else { return }
        await link.within(Self.farewellTime) { [link] in try? await link.delete(session) }
    }

    private func take(_ line: InputLine) async {
        do throws(MCPFailure) {
            guard case .whole(let bytes) = line else {
                let limit = MCPMessage.maximumSize
                // Its identifier may stand at its end, behind any number of bytes: it is not looked for.
                throw MCPFailure(.invalidRequest, "the line is longer than \(limit) bytes, and was not sent")
            }
            guard !bytes.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) else { return }
            let message = try MCPMessage(parsing: bytes)
            if case .request(let id) = message.kind {
                await call(message, id)
            } else {
                await tell(message)
            }
        } catch {
            await link.output(error.line(answering: error.id))
        }
    }

    private func call(_ message: MCPMessage, _ id: JSONValue) async {
        guard let task = start(message, id) else {
            let text = "\(Self.maximumCalls) requests wait for their response: try again when one has ended"
            await link.output(MCPFailure(.failed, text).line(answering: id))
            return
        }
        if message.isInitialize { await waitForResponse(of: task, to: id) }
    }

    /// Waits for the response to `initialize`, but not for ever: no other line is read meanwhile.
    private func waitForResponse(of initialize: Task<Bool, Never>, to id: JSONValue) async {
        await link.within(Self.initializeTime) {
            await withTaskCancellationHandler {
                _ = await initialize.value
            } onCancel: {
                initialize.cancel()
            }
        }
        let hasResponse = await initialize.value
        // The end answers the requests that it cancels.
        let isEnding = state.withLock { $0.ending != nil }
        guard !hasResponse, !isEnding else { return }
        let failure = MCPFailure(.failed, "the MCP server did not respond to initialize")
        await link.output(failure.line(answering: id))
    }

    private func start(_ message: MCPMessage, _ id: JSONValue) -> Task<Bool, Never>? {
        state.withLock { state -> Task<Bool, Never>? in
            let waitingCount = state.calls.values.count { !$0.isAnswered }
            guard waitingCount < Self.maximumCalls, state.ending == nil else { return nil }
            let number = state.nextNumber
            state.nextNumber += 1
            // It forgets itself only when this lock is free again.
            let task = Task { await self.perform(message, id, number) }
            state.calls[number] = Call(task: task, id: id, endsWithConnection: message.ownVersion != nil)
            return task
        }
    }

    private func perform(_ message: MCPMessage, _ id: JSONValue, _ number: Int) async -> Bool {
        var call = MCPCall(message, id, over: link) { self.noteResponse(number) }
        let isAnswered = await call.run()
        state.withLock { state in _ = state.calls.removeValue(forKey: number) }
        return isAnswered
    }

    /// A stream should end with its response; one that does not is closed.
    private func noteResponse(_ number: Int) {
        let task = state.withLock { state -> Task<Bool, Never>? in
            guard let call = state.calls[number], !call.isAnswered else { return nil }
            state.calls[number]?.isAnswered = true
            return call.task
        }
        guard let task else { return }
        Task { [link] in
            try? await link.sleep(Self.lingerTime)
            task.cancel()
        }
    }

    /// Passes on a notification or a response, to which the server answers with 202.
    private func tell(_ message: MCPMessage) async {
        let cancelledID = message.method == "notifications/cancelled" ? message.cancelledID : nil
        // From 2026-07-28 a client cancels a request by closing its stream; on stdio it still says so.
        if let cancelledID, cancelCalls(cancelledID, endingWithConnection: true) { return }
        let session = link.session(of: message)
        let name = message.method.isEmpty ? "a response" : message.method
        do {
            let response = try await link.post(message, in: session)
            guard (200..<300).contains(response.status) else {
                let reason = await link.refusal(response, in: session).failure.message
                return link.note("\(name) was not accepted: \(reason)")
            }
            // Read to its end, so that the connection can be used again.
            if !link.isStream(response) { _ = try? await link.body(of: response, atMost: 65_536) }
            // Before 2026-07-28 the server cancels the request, and sends no response (MCP 2025-11-25, Cancellation).
            if let cancelledID { _ = cancelCalls(cancelledID, endingWithConnection: false) }
            if message.method == "notifications/initialized", message.ownVersion == nil { listen(in: session) }
        } catch {
            link.note("\(name) was not sent: \(MCPFailure(error).message)")
        }
    }

    /// Cancels the requests with an identifier.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - endsWithConnection: Which requests: those that the end of the connection cancels, or the others.
    /// - Returns: Whether there were any.
    private func cancelCalls(_ id: JSONValue, endingWithConnection endsWithConnection: Bool) -> Bool {
        // Taken out: nobody waits for a response any more.
        let calls = state.withLock { state -> [Call] in
            let cancelled = state.calls.filter {
                $0.value.endsWithConnection == endsWithConnection && $0.value.id == id
            }
            for number in cancelled.keys { state.calls[number] = nil }
            return Array(cancelled.values)
        }
        for call in calls { call.task.cancel() }
        return !calls.isEmpty
    }

    /// Opens the stream of what the server sends by itself, in place of that of an earlier session.
    private func listen(in session: MCPSessions.Session) {
        guard session.version != nil else { return }
        let listener = MCPListener(link: link, session: session)
        let earlier = state.withLock { state -> Task<Void, Never>? in
            guard state.ending == nil else { return nil }
            defer { state.listener = Task { await listener.run() } }
            return state.listener
        }
        earlier?.cancel()
    }
}
#endif
