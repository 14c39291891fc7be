// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage
import StrictJSON

extension SQLiteAuthorizationStorage {
    /// Stores a request; see ``/ServerStorage/AuthorizationRequestStore/add(_:)``.
    ///
    /// - Parameter request: The request.
    /// - Throws: ``/ServerStorage/StorageError``; also if a request with that reference is already stored.
    public func add(_ request: StoredAuthorizationRequest) async throws(StorageError) {
        try await writer.write { connection throws(StorageError) in
            _ = try connection.run(
                """
                INSERT INTO authorization_requests (handle_hash, request, expires_at, browser_hash)
                VALUES (?, ?, ?, ?)
                """,
                [
                    .hash(request.referenceHash),
                    .json(.object(request.request.json)),
                    .time(request.expiresAt),
                    .optional(request.browserHash),
                ]
            )
        }
    }

    /// The request of a reference; see ``/ServerStorage/AuthorizationRequestStore/authorizationRequest(_:at:)``.
    ///
    /// - Parameters:
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - now: The time.
    /// - Returns: The request; `nil` if it is unknown, expired or used.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func authorizationRequest(
        _ referenceHash: SecretHash,
        at now: Timestamp
    ) async throws(StorageError) -> StoredAuthorizationRequest? {
        try await reader.perform { connection throws(StorageError) in
            try connection.row(
                """
                SELECT request, expires_at, browser_hash
                FROM authorization_requests WHERE handle_hash = ? AND expires_at > ?
                """,
                [.hash(referenceHash), .time(now)]
            ) { row throws(StorageError) in
                StoredAuthorizationRequest(
                    referenceHash: referenceHash,
                    request: try row.authorizationRequest(0),
                    expiresAt: try row.time(1),
                    browserHash: try row.optionalHash(2)
                )
            }
        }
    }

    /// Consumes a request without issuing a code.
    ///
    /// See ``/ServerStorage/AuthorizationRequestStore/consumeAuthorizationRequest(_:at:)``.
    ///
    /// - Parameters:
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - now: The time.
    /// - Returns: `true` for exactly one caller.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func consumeAuthorizationRequest(
        _ referenceHash: SecretHash,
        at now: Timestamp
    ) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            try connection.consumeRequest(referenceHash, at: now)
        }
    }
}

extension SQLiteConnection {
    /// Assigns requests to the browser of a new session.
    ///
    /// See ``/ServerStorage/SessionStore/start(_:replacing:)``.
    func bindRequests(to session: BrowserSession, replacing previous: SecretHash?) throws(StorageError) {
        if let previous {
            try run(
                "UPDATE authorization_requests SET browser_hash = ? WHERE browser_hash = ?",
                [.hash(session.idHash), .hash(previous)]
            )
        }
        guard let handle = session.requestHash else { return }
        try run(
            "UPDATE authorization_requests SET browser_hash = ? WHERE handle_hash = ? AND browser_hash IS NULL",
            [.hash(session.idHash), .hash(handle)]
        )
    }

    /// Consumes a usable request; a used one is deleted.
    func consumeRequest(_ referenceHash: SecretHash, at now: Timestamp) throws(StorageError) -> Bool {
        try run(
            "DELETE FROM authorization_requests WHERE handle_hash = ? AND expires_at > ?",
            [.hash(referenceHash), .time(now)]
        ) == 1
    }
}
#endif
