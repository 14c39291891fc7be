// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import Synchronization

/// The state that the threads of a listener share.
final class ListenerCore: Sendable {
    typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

    /// A request whose connection is suspended until its handler answers.
    private struct SuspendedRequest {
        let answer: PendingResponse
        let task: Task<Void, Never>
        let peerAddress: String?
        /// When the client gets 503 instead.
        let deadline: Int64
    }

    private struct State {
        /// Once set, no connection is suspended any more: the library aborts the process if one is suspended when it
        /// stops.
        var isClosing = false
        var suspended: [ObjectIdentifier: SuspendedRequest] = [:]
    }

    let handler: Handler
    private let rejectionFields: HTTPFields
    private let refused: (@Sendable (RejectedRequest) -> Void)?
    let limits: HTTPListenerLimits
    let connections: ConnectionTable
    private let state = Mutex(State())
    private let requestsInFlight = Atomic<Int>(0)
    private let isDrainingFlag = Atomic<Bool>(false)

    init(
        limits: HTTPListenerLimits,
        rejectionFields: HTTPFields,
        refused: (@Sendable (RejectedRequest) -> Void)?,
        handler: @escaping Handler
    ) {
        self.limits = limits
        self.rejectionFields = rejectionFields
        connections = ConnectionTable(limits: limits)
        self.refused = refused
        self.handler = handler
    }

    // MARK: Requests

    /// How many requests have begun and do not have a complete response yet.
    var inFlightCount: Int { requestsInFlight.load(ordering: .acquiring) }

    /// How many requests are listed as suspended: an entry must go with its request, however that ends.
    var suspendedCount: Int { state.withLock { $0.suspended.count } }

    /// Whether connections close after their next response.
    var isDraining: Bool { isDrainingFlag.load(ordering: .relaxed) }

    func requestBegan() {
        requestsInFlight.add(1, ordering: .relaxed)
    }

    func requestEnded() {
        requestsInFlight.subtract(1, ordering: .releasing)
    }

    /// The response to a request that no handler gets, or whose handler is too late.
    func refuse(_ refusal: Rejection, from peerAddress: String?) -> HTTPResponse {
        refused?(RejectedRequest(status: refusal.status, reason: refusal.reason, peerAddress: peerAddress))
        return withRejectionFields(refusal.response)
    }

    /// The response to send when that of a handler breaks the rules of HTTP, or its fields are too large.
    var unwritable: HTTPResponse { withRejectionFields(.unwritable) }

    /// RFC 6797 section 7.1: `Strict-Transport-Security` belongs on every response, for example.
    private func withRejectionFields(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        for field in rejectionFields.all { response.fields.append(name: field.name, value: field.value) }
        return response
    }

    /// Suspends the connection until there is a response; only the thread that serves the connection calls this.
    ///
    /// - Returns: Whether the connection is suspended; if not, there is a response to take or the listener is stopping.
    func suspend(
        _ connection: ConnectionPointer,
        until answer: PendingResponse,
        of task: Task<Void, Never>,
        from peerAddress: String?
    ) -> Bool {
        let deadline = CoarseClock.milliseconds() + limits.requestDeadline.milliseconds
        return state.withLock { state in
            guard !state.isClosing, answer.suspend(connection) else { return false }
            state.suspended[ObjectIdentifier(answer)] = SuspendedRequest(
                answer: answer,
                task: task,
                peerAddress: peerAddress,
                deadline: deadline
            )
            return true
        }
    }

    func resumed(_ answer: PendingResponse) {
        state.withLock { _ = $0.suspended.removeValue(forKey: ObjectIdentifier(answer)) }
    }

    // MARK: Time

    /// Responds 503 for late handlers and disconnects late clients.
    func enforceDeadlines() {
        let now = CoarseClock.milliseconds()
        connections.enforceDeadlines(at: now)
        let late = state.withLock { state in state.suspended.values.filter { $0.deadline <= now } }
        refuse(late, .tooSlow)
    }

    /// Responds to suspended requests in place of their handlers, whose tasks are cancelled.
    private func refuse(_ requests: [SuspendedRequest], _ refusal: Rejection) {
        for request in requests where request.answer.answer({ refuse(refusal, from: request.peerAddress) }) {
            request.task.cancel()
        }
    }

    /// How often ``enforceDeadlines()`` must run.
    var deadlineInterval: Duration {
        min(max(limits.requestDeadline / 8, .milliseconds(20)), connections.interval)
    }

    // MARK: The end

    /// From now on, connections close after their next response.
    func drain() {
        isDrainingFlag.store(true, ordering: .relaxed)
    }

    /// Responds 503 to all suspended requests, and suspends no connection after that.
    func close() {
        let rest = state.withLock { state in
            state.isClosing = true
            return Array(state.suspended.values)
        }
        refuse(rest, .shuttingDown)
    }
}
#endif
