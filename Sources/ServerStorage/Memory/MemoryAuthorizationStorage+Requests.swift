// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// Stores a request; see ``AuthorizationRequestStore/add(_:recording:at:)``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: Whether it was recorded.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if another request with that reference is stored.
    public func add(
        _ request: StoredAuthorizationRequest,
        recording: Recording,
        at now: Timestamp
    ) throws(StorageError) -> Recorded<Void> {
        try recorded(recording, at: now) { tables throws(StorageError) in
            if let stored = tables.requests[request.referenceHash] {
                guard stored.record == request else { throw StorageError.isStoredOtherwise("the request") }
                return
            }
            tables.requests[request.referenceHash] = MemoryTables.Request(record: request)
        }
    }

    /// The request of a reference; see ``AuthorizationRequestStore/authorizationRequest(_:at:)``.
    ///
    /// - Parameters:
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - now: The time.
    /// - Returns: The request; `nil` if it is unknown, expired or used.
    public func authorizationRequest(_ referenceHash: SecretHash, at now: Timestamp) -> StoredAuthorizationRequest? {
        tables.withLock { $0.liveRequest(referenceHash, at: now) }
    }

    /// Consumes a request without issuing a code.
    ///
    /// See ``AuthorizationRequestStore/consumeAuthorizationRequest(_:by:at:)``.
    ///
    /// - Parameters:
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - attempt: Names the change.
    ///   - now: The time.
    /// - Returns: `true` for exactly one attempt.
    public func consumeAuthorizationRequest(
        _ referenceHash: SecretHash,
        by attempt: WriteAttempt,
        at now: Timestamp
    ) -> Bool {
        tables.withLock { $0.consumeRequest(referenceHash, by: attempt, at: now) }
    }
}

extension MemoryTables {
    /// Assigns requests to the browser of a new session; see ``SessionStore/start(_:replacing:judgedBy:)``.
    mutating func bindRequests(to session: BrowserSession, replacing previous: SecretHash?) {
        if let previous {
            for handle in requests.keys where requests[handle]?.record.browserHash == previous {
                requests[handle]?.record.browserHash = session.idHash
            }
        }
        guard let handle = session.requestHash, let request = requests[handle] else { return }
        guard let bound = request.record.browserHash else {
            requests[handle]?.record.browserHash = session.idHash
            return
        }
        guard let other = sessions[bound], other.subject.isIdentical(to: session.subject),
            other.authenticatedAt <= session.authenticatedAt
        else { return }
        requests[handle]?.record.browserHash = session.idHash
    }

    /// A usable request.
    func liveRequest(_ referenceHash: SecretHash, at now: Timestamp) -> StoredAuthorizationRequest? {
        requests[referenceHash].flatMap { $0.usedBy == nil && now < $0.record.expiresAt ? $0.record : nil }
    }

    /// Consumes a usable request, or confirms that this attempt consumed it.
    mutating func consumeRequest(
        _ referenceHash: SecretHash,
        by attempt: WriteAttempt,
        at now: Timestamp
    ) -> Bool {
        guard let request = requests[referenceHash], now < request.record.expiresAt else { return false }
        guard let usedBy = request.usedBy else {
            requests[referenceHash]?.usedBy = attempt
            return true
        }
        return usedBy == attempt
    }
}
