// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension PostgreSQLAuthorizationStorage {
    /// Stores a new session; see ``/ServerStorage/FirstPartySessionStore/add(_:recording:at:)``.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: Whether it was recorded.
    /// - Throws: ``/ServerStorage/StorageError``; also if another session with that identifier is stored.
    public func add(
        _ session: StoredFirstPartySession,
        recording: Recording,
        at now: Timestamp
    ) async throws(StorageError) -> Recorded<Void> {
        try await writeRecorded(recording, at: now) { connection throws(StorageError) in
            let isNew =
                try connection.run(
                    """
                    INSERT INTO first_party_sessions (id, value_hash, client_id, subject, key_thumbprint, request,
                        progress, grant_id, expires_at)
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                    ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at
                    WHERE first_party_sessions.value_hash = excluded.value_hash
                    AND first_party_sessions.request = excluded.request
                    AND first_party_sessions.expires_at = excluded.expires_at
                    """,
                    session.storedValues
                ) == 1
            guard isNew else { throw .isStoredOtherwise("the session") }
        }
    }

    /// Replaces an open session; see ``/ServerStorage/FirstPartySessionStore/advance(from:to:recording:at:)``.
    ///
    /// - Parameters:
    ///   - value: The hash of the value that the answer had.
    ///   - next: The session with its new value.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: `false`, and nothing has changed, if another change came first or the session is over.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func advance(
        from value: SecretHash,
        to next: StoredFirstPartySession,
        recording: Recording,
        at now: Timestamp
    ) async throws(StorageError) -> Recorded<Bool> {
        try await writeRecorded(recording, at: now) { connection throws(StorageError) in
            switch try connection.firstPartyState(next.id)?.advance(from: value, to: next.valueHash, at: now) {
            case .change:
                try connection.update(next)
                return true
            case .done: return true
            case .lost, nil: return false
            }
        }
    }

    /// Finishes a session; see
    /// ``/ServerStorage/FirstPartySessionStore/finish(from:as:issuing:under:judgedBy:recording:at:)``.
    ///
    /// - Parameters:
    ///   - value: The hash of the value that the request had.
    ///   - next: The session with its new value, its user and the identifier of the grant.
    ///   - code: The code.
    ///   - grant: Its grant.
    ///   - password: The hash that an answer was checked against; `nil` if none was.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``/ServerStorage/StorageError``; also if the code or the grant is already stored.
    public func finish(
        from value: SecretHash,
        as next: StoredFirstPartySession,
        issuing code: StoredCode,
        under grant: Grant,
        judgedBy password: PasswordHash?,
        recording: Recording,
        at now: Timestamp
    ) async throws(StorageError) -> Recorded<FirstPartyCompletion> {
        try await writeRecorded(recording, at: now) { connection throws(StorageError) in
            // Before any row: operations that take something away lock in this order too.
            try connection.lockConsents(of: grant.subject, to: grant.clientID, .shared)
            // Before the session: a change of the password locks in this order too.
            let account = try connection.passwordHash(of: grant.subject)
            switch try connection.firstPartyState(next.id)?.finish(from: value, as: next.valueHash, at: now) {
            case .change: break
            case .done: return .issued
            case .lost, nil: return .lost
            }
            guard let account, password.map({ $0 == account }) ?? true else { return .accountChanged }
            guard try connection.issue(code, under: grant, by: .notNeeded) == .issued else { return .challengeReused }
            try connection.keepGrant(grant.id, until: next.expiresAt)
            try connection.update(next)
            return .issued
        }
    }

    /// Ends an open session; see ``/ServerStorage/FirstPartySessionStore/leave(_:from:storing:recording:at:)``.
    ///
    /// - Parameters:
    ///   - id: The identifier of the session.
    ///   - value: The hash of its value.
    ///   - request: The request for the browser; `nil` if the sign-in ends here.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: `false`, and nothing has changed, if another change came first or the session is over.
    /// - Throws: ``/ServerStorage/StorageError``; also if another request with that reference is stored.
    public func leave(
        _ id: String,
        from value: SecretHash,
        storing request: StoredAuthorizationRequest?,
        recording: Recording,
        at now: Timestamp
    ) async throws(StorageError) -> Recorded<Bool> {
        try await writeRecorded(recording, at: now) { connection throws(StorageError) in
            switch try connection.firstPartyState(id)?.leave(from: value, by: recording.attempt, at: now) {
            case .change: break
            case .done: return true
            case .lost, nil: return false
            }
            if let request { try connection.insert(request) }
            try connection.run(
                "UPDATE first_party_sessions SET ended_by = $2 WHERE id = $1",
                [.text(id), .attempt(recording.attempt)]
            )
            return true
        }
    }

    /// Reads for a sign-in without a browser; see
    /// ``/ServerStorage/RequestReadStore/reads(ofFirstPartySession:for:userNamed:at:)``.
    ///
    /// - Parameters:
    ///   - id: The identifier of the session; `nil` if the request has none.
    ///   - clientID: `client_id`; `nil` for that of the session.
    ///   - username: The user name that was typed.
    ///   - now: The time.
    /// - Returns: What is stored.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func reads(
        ofFirstPartySession id: String?,
        for clientID: String?,
        userNamed username: String?,
        at now: Timestamp
    ) async throws(StorageError) -> FirstPartyReads {
        try await pool.read { connection throws(StorageError) in
            try connection.reads(ofFirstPartySession: id, for: clientID, userNamed: username, at: now)
        }
    }
}

extension PostgreSQLConnection {
    /// A session that has not ended, but may have expired.
    func firstPartySession(_ id: String) throws(StorageError) -> StoredFirstPartySession? {
        try row(
            """
            SELECT value_hash, request, progress, subject, grant_id, expires_at FROM first_party_sessions
            WHERE id = $1 AND ended_by IS NULL AND (grant_id IS NULL OR EXISTS
                (SELECT 1 FROM grants WHERE grants.id = grant_id AND grants.revoked_at IS NULL))
            """,
            [.text(id)]
        ) { row throws(StorageError) in
            try StoredFirstPartySession(id, row: row)
        }
    }

    /// Whether a user signed in before with the key and the client of a request.
    func knowsKey(
        of request: AuthorizationRequest?,
        subject: String,
        at now: Timestamp
    ) throws(StorageError) -> Bool {
        guard let request, let key = request.dpopThumbprint else { return false }
        return try row(
            """
            SELECT 1 FROM grants WHERE subject = $1 AND client_id = $2 AND revoked_at IS NULL
                AND refresh_thumbprint = $3 AND refresh_ends > $4
            UNION ALL
            SELECT 1 FROM first_party_sessions WHERE subject = $1 AND client_id = $2 AND key_thumbprint = $3
                AND expires_at > $4 AND ended_by IS NULL AND EXISTS
                (SELECT 1 FROM grants WHERE grants.id = grant_id AND grants.revoked_at IS NULL)
            LIMIT 1
            """,
            [.text(subject), .text(request.clientID), .optional(key), .time(now)]
        ) { _ throws(StorageError) in true } ?? false
    }

    /// The state of a session before a change, which no other transaction changes until this one ends.
    fileprivate func firstPartyState(_ id: String) throws(StorageError) -> FirstPartySessionState? {
        try row(
            """
            SELECT value_hash, grant_id IS NOT NULL, ended_by, expires_at, grant_id IS NOT NULL AND NOT EXISTS
                (SELECT 1 FROM grants WHERE grants.id = grant_id AND grants.revoked_at IS NULL)
            FROM first_party_sessions WHERE id = $1
            FOR NO KEY UPDATE OF first_party_sessions
            """,
            [.text(id)],
            read: FirstPartySessionState.init(row:)
        )
    }

    fileprivate func update(_ session: StoredFirstPartySession) throws(StorageError) {
        try run(
            """
            UPDATE first_party_sessions SET value_hash = $2, subject = $3, request = $4, progress = $5,
                grant_id = $6, expires_at = $7
            WHERE id = $1
            """,
            session.stepValues
        )
    }
}
#endif
