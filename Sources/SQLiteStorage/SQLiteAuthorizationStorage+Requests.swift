// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension SQLiteAuthorizationStorage {
    /// Stores a request; see ``/ServerStorage/AuthorizationRequestStore/add(_:recording:at:)``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: Whether it was recorded.
    /// - Throws: ``/ServerStorage/StorageError``; also if another request with that reference is stored.
    public func add(
        _ request: StoredAuthorizationRequest,
        recording: Recording,
        at now: Timestamp
    ) async throws(StorageError) -> Recorded<Void> {
        try await writeRecorded(recording, at: now) { connection throws(StorageError) in
            try connection.insert(request)
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
            try connection.request(referenceHash, at: now)
        }
    }

    /// Consumes a request without issuing a code.
    ///
    /// See ``/ServerStorage/AuthorizationRequestStore/consumeAuthorizationRequest(_:by:at:)``.
    ///
    /// - Parameters:
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - attempt: Names the change.
    ///   - now: The time.
    /// - Returns: `true` for exactly one attempt.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func consumeAuthorizationRequest(
        _ referenceHash: SecretHash,
        by attempt: WriteAttempt,
        at now: Timestamp
    ) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            try connection.consumeRequest(referenceHash, by: attempt, at: now)
        }
    }
}

extension SQLiteConnection {
    /// Stores a request; throws if another one with that reference is stored.
    func insert(_ request: StoredAuthorizationRequest) throws(StorageError) {
        let isNew =
            try run(
                """
                INSERT INTO authorization_requests (handle_hash, request, expires_at, browser_hash)
                VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at
                    WHERE request = excluded.request AND expires_at = excluded.expires_at
                    AND browser_hash IS excluded.browser_hash
                """,
                request.storedValues
            ) == 1
        guard isNew else { throw .isStoredOtherwise("the request") }
    }

    /// Assigns requests to the browser of a new session.
    ///
    /// See ``/ServerStorage/SessionStore/start(_:replacing:judgedBy:)``.
    func bindRequests(to session: BrowserSession, replacing previous: SecretHash?) throws(StorageError) {
        if let previous {
            try run(
                "UPDATE authorization_requests SET browser_hash = ? WHERE browser_hash = ?",
                [.hash(session.idHash), .hash(previous)]
            )
        }
        guard let handle = session.requestHash else { return }
        try run(
            """
            UPDATE authorization_requests SET browser_hash = ?1 WHERE handle_hash = ?2 AND (
                browser_hash IS NULL
                OR EXISTS (
                    SELECT 1 FROM sessions
                    WHERE id_hash = authorization_requests.browser_hash AND subject = ?3 AND authenticated_at <= ?4
                )
            )
            """,
            [.hash(session.idHash), .hash(handle), .text(session.subject), .time(session.authenticatedAt)]
        )
    }

    /// A usable request.
    func request(_ referenceHash: SecretHash, at now: Timestamp) throws(StorageError) -> StoredAuthorizationRequest? {
        try row(
            """
            SELECT request, expires_at, browser_hash
            FROM authorization_requests WHERE handle_hash = ? AND expires_at > ? AND used_by IS NULL
            """,
            [.hash(referenceHash), .time(now)]
        ) { row throws(StorageError) in
            try StoredAuthorizationRequest(referenceHash, row: row)
        }
    }

    /// Consumes a usable request, or confirms that this attempt consumed it.
    func consumeRequest(
        _ referenceHash: SecretHash,
        by attempt: WriteAttempt,
        at now: Timestamp
    ) throws(StorageError) -> Bool {
        try run(
            """
            UPDATE authorization_requests SET used_by = ?3
            WHERE handle_hash = ?1 AND expires_at > ?2 AND (used_by IS NULL OR used_by = ?3)
            """,
            [.hash(referenceHash), .time(now), .attempt(attempt)]
        ) == 1
    }

    /// Deletes a usable request whose grant is stored: the grant identifies a repeat of that call.
    func deleteRequest(_ referenceHash: SecretHash, at now: Timestamp) throws(StorageError) -> Bool {
        try run(
            "DELETE FROM authorization_requests WHERE handle_hash = ? AND expires_at > ? AND used_by IS NULL",
            [.hash(referenceHash), .time(now)]
        ) == 1
    }
}
#endif
