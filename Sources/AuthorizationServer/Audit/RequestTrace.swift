// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import Synchronization

/// What becomes known of a request while it is answered: for logs, metrics and audit events, never for a decision.
public final class RequestTrace: Sendable {
    private struct Facts {
        var clientAddress: IPAddress?
        var endpoint: String?
        var clientID: String?
    }

    /// The trace of the request that the task answers.
    @TaskLocal static var current: RequestTrace?

    /// The name of the request in logs and audit events.
    public let id: String?
    private let facts = Mutex(Facts())

    /// Makes the trace of a request.
    ///
    /// - Parameter id: The name of the request in logs and audit events.
    public init(id: String? = nil) {
        self.id = id
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

    /// The registered client that the request is of, whether it authenticated itself or only said so.
    public internal(set) var clientID: String? {
        get { facts.withLock { $0.clientID } }
        set { facts.withLock { $0.clientID = newValue } }
    }
}
