// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// Stores a new session; see ``FirstPartySessionStore/add(_:recording:at:)``.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: Whether it was recorded.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if another session with that identifier is stored.
    public func add(
        _ session: StoredFirstPartySession,
        recording: Recording,
        at now: Timestamp
    ) throws(StorageError) -> Recorded<Void> {
        try recorded(recording, at: now) { tables throws(StorageError) in
            let key = MemoryTables.Key(session.id)
            if let stored = tables.firstPartySessions[key] {
                guard stored.record == session else { throw StorageError.isStoredOtherwise("the session") }
                return
            }
            tables.firstPartySessions[key] = MemoryTables.FirstPartyEntry(record: session)
        }
    }

    /// Replaces an open session; see ``FirstPartySessionStore/advance(from:to:recording:at:)``.
    ///
    /// - Parameters:
    ///   - value: The hash of the value that the answer had.
    ///   - next: The session with its new value.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: `false`, and nothing has changed, if another change came first or the session is over.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if another access token with that hash is stored.
    public func advance(
        from value: SecretHash,
        to next: StoredFirstPartySession,
        recording: Recording,
        at now: Timestamp
    ) throws(StorageError) -> Recorded<Bool> {
        try recorded(recording, at: now) { tables throws(StorageError) in
            switch tables.firstPartyState(next.id)?.advance(from: value, to: next.valueHash, at: now) {
            case .change:
                tables.firstPartySessions[MemoryTables.Key(next.id)]?.record = next
                return true
            case .done: return true
            case .lost, nil: return false
            }
        }
    }

    /// Finishes a session; see
    /// ``FirstPartySessionStore/finish(from:as:issuing:under:judgedBy:recording:at:)``.
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
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` when the code or the grant is already stored.
    public func finish(
        from value: SecretHash,
        as next: StoredFirstPartySession,
        issuing code: StoredCode,
        under grant: Grant,
        judgedBy password: PasswordHash?,
        recording: Recording,
        at now: Timestamp
    ) throws(StorageError) -> Recorded<FirstPartyCompletion> {
        try recorded(recording, at: now) { tables throws(StorageError) in
            switch tables.firstPartyState(next.id)?.finish(from: value, as: next.valueHash, at: now) {
            case .change: break
            case .done: return .issued
            case .lost, nil: return .lost
            }
            guard let account = tables.user(subject: grant.subject),
                password.map({ $0 == account.passwordHash }) ?? true
            else { return .accountChanged }
            guard try tables.issue(code, under: grant, by: .notNeeded) == .issued else { return .challengeReused }
            tables.keepGrant(MemoryTables.Key(grant.id), until: next.expiresAt)
            tables.firstPartySessions[MemoryTables.Key(next.id)]?.record = next
            return .issued
        }
    }

    /// Ends an open session; see ``FirstPartySessionStore/leave(_:from:storing:recording:at:)``.
    ///
    /// - Parameters:
    ///   - id: The identifier of the session.
    ///   - value: The hash of its value.
    ///   - request: The request for the browser; `nil` if the sign-in ends here.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: `false`, and nothing has changed, if another change came first or the session is over.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored`` if another request with that reference is stored.
    public func leave(
        _ id: String,
        from value: SecretHash,
        storing request: StoredAuthorizationRequest?,
        recording: Recording,
        at now: Timestamp
    ) throws(StorageError) -> Recorded<Bool> {
        try recorded(recording, at: now) { tables throws(StorageError) in
            switch tables.firstPartyState(id)?.leave(from: value, by: recording.attempt, at: now) {
            case .change: break
            case .done: return true
            case .lost, nil: return false
            }
            if let request {
                guard tables.requests[request.referenceHash] == nil else {
                    throw StorageError.isStoredOtherwise("the request")
                }
                tables.requests[request.referenceHash] = MemoryTables.Request(record: request)
            }
            tables.firstPartySessions[MemoryTables.Key(id)]?.endedBy = recording.attempt
            return true
        }
    }

    /// Reads for a sign-in without a browser; see
    /// ``RequestReadStore/reads(ofFirstPartySession:for:userNamed:at:)``.
    ///
    /// - Parameters:
    ///   - id: The identifier of the session; `nil` if the request has none.
    ///   - clientID: `client_id`; `nil` for that of the session.
    ///   - username: The user name that was typed.
    ///   - now: The time.
    /// - Returns: What is stored.
    public func reads(
        ofFirstPartySession id: String?,
        for clientID: String?,
        userNamed username: String?,
        at now: Timestamp
    ) -> FirstPartyReads {
        tables.withLock { tables in
            let session = id.flatMap { tables.liveFirstPartySession($0) }
            let user = username.flatMap { tables.users[MemoryTables.Key($0)] }
            return FirstPartyReads(
                client: (clientID ?? session?.request.clientID).flatMap { tables.client($0) },
                session: session,
                namedUser: user,
                isKnownKey: tables.knows(user, by: session?.request, at: now)
            )
        }
    }
}

extension MemoryTables {
    struct FirstPartyEntry {
        var record: StoredFirstPartySession
        /// The change that ended it; it is kept until it expires.
        var endedBy: WriteAttempt?
    }

    /// Ends the sessions of a user or a client.
    mutating func endFirstPartySessions(where isConcerned: (StoredFirstPartySession) -> Bool) {
        firstPartySessions = firstPartySessions.filter { !isConcerned($0.value.record) }
    }

    fileprivate func firstPartyState(_ id: String) -> FirstPartySessionState? {
        firstPartySessions[Key(id)].map { entry in
            FirstPartySessionState(
                valueHash: entry.record.valueHash,
                isFinished: entry.record.isFinished,
                isRevoked: entry.record.grantID.map { grantInForce($0) == nil } ?? false,
                endedBy: entry.endedBy,
                expiresAt: entry.record.expiresAt
            )
        }
    }

    /// A session that has not ended, but may have expired.
    fileprivate func liveFirstPartySession(_ id: String) -> StoredFirstPartySession? {
        guard let state = firstPartyState(id), state.endedBy == nil, !state.isRevoked else { return nil }
        return firstPartySessions[Key(id)]?.record
    }

    /// Whether an account signed in before with the key and the client of a request.
    fileprivate func knows(_ user: UserAccount?, by request: AuthorizationRequest?, at now: Timestamp) -> Bool {
        guard let user, let request, let key = request.dpopThumbprint else { return false }
        let isInSession = firstPartySessions.values.contains { entry in
            entry.endedBy == nil && now < entry.record.expiresAt && entry.record.request.dpopThumbprint == key
                && entry.record.request.clientID.isIdentical(to: request.clientID)
                && entry.record.user?.subject.isIdentical(to: user.subject) == true
                && entry.record.grantID.map { grantInForce($0) != nil } == true
        }
        return isInSession
            || grants.values.contains { entry in
                !entry.isRevoked && entry.record.subject.isIdentical(to: user.subject)
                    && entry.record.clientID.isIdentical(to: request.clientID)
                    && entry.refresh.map { $0.current.dpopThumbprint == key && now < $0.current.expiresAt } == true
            }
    }
}
