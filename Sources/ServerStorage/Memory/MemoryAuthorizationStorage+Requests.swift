// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// Stores a request; see ``AuthorizationRequestStore/add(_:)``.
    ///
    /// - Parameter request: The request.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if a request with that reference is already
    ///   stored.
    public func add(_ request: StoredAuthorizationRequest) throws(StorageError) {
        try tables.withLock { tables throws(StorageError) in
            guard tables.requests[request.referenceHash] == nil else { throw MemoryTables.alreadyStored("the request") }
            tables.requests[request.referenceHash] = request
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

    /// Consumes a request without issuing a code; see ``AuthorizationRequestStore/consumeAuthorizationRequest(_:at:)``.
    ///
    /// - Parameters:
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - now: The time.
    /// - Returns: `true` for exactly one caller.
    public func consumeAuthorizationRequest(_ referenceHash: SecretHash, at now: Timestamp) -> Bool {
        tables.withLock { tables in
            guard tables.liveRequest(referenceHash, at: now) != nil else { return false }
            tables.requests[referenceHash] = nil
            return true
        }
    }
}

extension MemoryTables {
    /// Assigns requests to the browser of a new session; see ``SessionStore/start(_:replacing:)``.
    mutating func bindRequests(to session: BrowserSession, replacing previous: SecretHash?) {
        if let previous {
            for handle in requests.keys where requests[handle]?.browserHash == previous {
                requests[handle]?.browserHash = session.idHash
            }
        }
        guard let handle = session.requestHash, requests[handle]?.browserHash == nil else { return }
        requests[handle]?.browserHash = session.idHash
    }

    /// A usable request; used ones are deleted.
    func liveRequest(_ referenceHash: SecretHash, at now: Timestamp) -> StoredAuthorizationRequest? {
        requests[referenceHash].flatMap { now < $0.expiresAt ? $0 : nil }
    }
}
