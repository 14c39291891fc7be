// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import Synchronization

/// What becomes known of a request while it is answered: for logs, metrics, audit events and limits.
public final class RequestTrace: Sendable {
    private struct Facts {
        var clientAddress: IPAddress?
        var endpoint: String?
        var clientID: String?
        var asksForNonce = false
        var isAskedToWait = false
        var countedClient: RateLimitedClient?
    }

    // Written out: the macro for it is not at hand where Apple's compiler is only imitated.
    private static let ofTask = TaskLocal<RequestTrace?>(wrappedValue: nil)

    /// The trace of the request that the task answers.
    static var current: RequestTrace? { ofTask.get() }

    /// The name of the request in logs and audit events.
    public let id: String?
    private let facts = Mutex(Facts())

    /// Makes the trace of a request.
    ///
    /// - Parameter id: The name of the request in logs and audit events.
    public init(id: String? = nil) {
        self.id = id
    }

    /// Answers a request whose trace this is.
    func whileCurrent(_ answer: () async -> HTTPResponse) async -> HTTPResponse {
        await Self.ofTask.withValue(self, operation: answer)
    }

    /// Where the request comes from, found by ``ServerConfiguration/trustedProxies``.
    public internal(set) var clientAddress: IPAddress? {
        get { facts.withLock { $0.clientAddress } }
        set { facts.withLock { $0.clientAddress = newValue } }
    }

    /// The path of the endpoint; `nil` when there is none at the address that was asked for.
    public internal(set) var endpoint: String? {
        get { facts.withLock { $0.endpoint } }
        set { facts.withLock { $0.endpoint = newValue } }
    }

    /// Whether the request was refused for its nonce only, which is how clients ask for one.
    var asksForNonce: Bool {
        get { facts.withLock { $0.asksForNonce } }
        set { facts.withLock { $0.asksForNonce = newValue } }
    }

    /// Whether nothing is wrong with the request but that its person has not answered yet, or its client asks too often.
    var isAskedToWait: Bool {
        get { facts.withLock { $0.isAskedToWait } }
        set { facts.withLock { $0.isAskedToWait = newValue } }
    }

    /// What was counted of the client of the request.
    var countedClient: RateLimitedClient? {
        get { facts.withLock { $0.countedClient } }
        set { facts.withLock { $0.countedClient = newValue } }
    }

    /// The registered client that the request is of, whether it authenticated itself or only said so.
    public internal(set) var clientID: String? {
        get { facts.withLock { $0.clientID } }
        set { facts.withLock { $0.clientID = newValue } }
    }
}
