// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import Synchronization

/// Collects facts about a request while it is handled: for logs, metrics, audit events and limits.
public final class RequestTrace: Sendable {
    private struct Facts {
        var clientAddress: IPAddress?
        var limitedAddress: IPAddress?
        var endpoint: String?
        var clientID: String?
        var asksForNonce = false
        var isAskedToWait = false
        var countedClient: RateLimitedClient?
    }

    // Without the macro, which is not available where Apple's compiler is only emulated.
    private static let ofTask = TaskLocal<RequestTrace?>(wrappedValue: nil)

    /// The trace of the request that the current task handles.
    static var current: RequestTrace? { ofTask.get() }

    /// The identifier of the request in logs and audit events.
    public let id: String?
    /// The trace of other programs that the request belongs to: `trace_id` in logs and audit events.
    public let context: TraceContext?
    private let facts = Mutex(Facts())

    /// Makes the trace of a request.
    ///
    /// - Parameters:
    ///   - id: The identifier of the request in logs and audit events.
    ///   - context: `traceparent`, if a proxy sent it that is trusted.
    public init(id: String? = nil, context: TraceContext? = nil) {
        self.id = id
        self.context = context
    }

    /// Handles a request with this as the current trace.
    func whileCurrent(_ response: () async -> HTTPResponse) async -> HTTPResponse {
        await Self.ofTask.withValue(self, operation: response)
    }

    /// The address of the client, determined with ``ServerConfiguration/trustedProxies``.
    public var clientAddress: IPAddress? {
        facts.withLock { $0.clientAddress }
    }

    /// The address that rate limits apply to: ``/HTTPMessage/TrustedProxies/limitedAddress(of:)``.
    var limitedAddress: IPAddress? {
        facts.withLock { $0.limitedAddress }
    }

    /// Sets both addresses of the request.
    func setAddresses(_ addresses: (client: IPAddress?, limited: IPAddress?)) {
        facts.withLock { facts in
            facts.clientAddress = addresses.client
            facts.limitedAddress = addresses.limited
        }
    }

    /// The path of the endpoint; `nil` if there is none at the requested address.
    public internal(set) var endpoint: String? {
        get { facts.withLock { $0.endpoint } }
        set { facts.withLock { $0.endpoint = newValue } }
    }

    /// Whether the request was rejected only for a missing or old nonce, which is how clients obtain one.
    var asksForNonce: Bool {
        get { facts.withLock { $0.asksForNonce } }
        set { facts.withLock { $0.asksForNonce = newValue } }
    }

    /// Whether the request was rejected only because the user has not decided yet, or the client polls too often.
    var isAskedToWait: Bool {
        get { facts.withLock { $0.isAskedToWait } }
        set { facts.withLock { $0.isAskedToWait = newValue } }
    }

    /// The count of the request's client.
    var countedClient: RateLimitedClient? {
        get { facts.withLock { $0.countedClient } }
        set { facts.withLock { $0.countedClient = newValue } }
    }

    /// The registered client of the request, authenticated or only named.
    public internal(set) var clientID: String? {
        get { facts.withLock { $0.clientID } }
        set { facts.withLock { $0.clientID = newValue } }
    }
}
