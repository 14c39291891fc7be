// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension SQLiteAuthorizationStorage {
    /// Reads for the exchange of a code; see ``/ServerStorage/RequestReadStore/reads(ofCode:for:)``.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - clientID: `client_id`.
    /// - Returns: What is stored.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func reads(ofCode code: GrantSecret?, for clientID: String) async throws(StorageError) -> CodeReads {
        try await snapshot { connection throws(StorageError) in
            var reads = CodeReads(client: try connection.client(clientID))
            guard let code, let stored = try connection.code(code.hash) else { return reads }
            reads.code = stored
            reads.grant = try connection.grantInForce(stored.grantID)
            return reads
        }
    }

    /// Reads for the use of a refresh token; see ``/ServerStorage/RequestReadStore/reads(ofRefreshToken:for:)``.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - clientID: `client_id`.
    /// - Returns: What is stored.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func reads(
        ofRefreshToken token: GrantSecret?,
        for clientID: String
    ) async throws(StorageError) -> RefreshTokenReads {
        try await snapshot { connection throws(StorageError) in
            var reads = RefreshTokenReads(client: try connection.client(clientID))
            guard let token, let refresh = try connection.refresh(of: token) else { return reads }
            reads.refreshToken = refresh.stored
            if !refresh.isRevoked { reads.grant = try connection.grantInForce(token.grantID) }
            return reads
        }
    }

    /// Reads for a device's token request; see ``/ServerStorage/RequestReadStore/reads(ofDeviceCode:for:)``.
    ///
    /// - Parameters:
    ///   - code: The device code.
    ///   - clientID: `client_id`.
    /// - Returns: What is stored.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func reads(
        ofDeviceCode code: GrantSecret?,
        for clientID: String
    ) async throws(StorageError) -> DeviceCodeReads {
        try await snapshot { connection throws(StorageError) in
            var reads = DeviceCodeReads(client: try connection.client(clientID))
            guard let code, let device = try connection.device(code.hash) else { return reads }
            reads.device = device
            reads.isAllowed = try connection.deviceState(code.hash)?.state.isAllowed ?? false
            if reads.isAllowed { reads.grant = try connection.grantInForce(device.grantID) }
            return reads
        }
    }

    /// Reads for introspection, revocation and token exchange.
    ///
    /// See ``/ServerStorage/RequestReadStore/reads(ofTokens:for:at:)``.
    ///
    /// - Parameters:
    ///   - tokens: Where the presented tokens are stored.
    ///   - clientID: `client_id`.
    ///   - now: The time.
    /// - Returns: What is stored.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func reads(
        ofTokens tokens: [TokenReference],
        for clientID: String,
        at now: Timestamp
    ) async throws(StorageError) -> TokenReads {
        try await snapshot { connection throws(StorageError) in
            var reads = TokenReads(client: try connection.client(clientID))
            for token in tokens { reads.tokens.append(try connection.read(token, at: now)) }
            return reads
        }
    }

    /// Reads for the userinfo endpoint; see ``/ServerStorage/RequestReadStore/user(ofGrant:)``.
    ///
    /// - Parameter grantID: The identifier of the grant.
    /// - Returns: The user of a grant that is in force.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func user(ofGrant grantID: String) async throws(StorageError) -> UserAccount? {
        try await snapshot { connection throws(StorageError) in
            try connection.user(ofGrant: grantID)
        }
    }

    /// Records a proof and reads its user; see ``/ServerStorage/RequestReadStore/user(ofGrant:recording:at:)``.
    ///
    /// - Parameters:
    ///   - grantID: The identifier of the grant.
    ///   - recording: The proof.
    ///   - now: The time.
    /// - Returns: The user of a grant that is in force, if the proof was recorded.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func user(
        ofGrant grantID: String,
        recording: Recording,
        at now: Timestamp
    ) async throws(StorageError) -> Recorded<UserAccount?> {
        try await writeRecorded(recording, at: now) { connection throws(StorageError) in
            try connection.user(ofGrant: grantID)
        }
    }

    /// Reads for the next page of a stored request.
    ///
    /// See ``/ServerStorage/RequestReadStore/reads(ofRequest:in:userNamed:at:)``.
    ///
    /// - Parameters:
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - sessionHash: The hash of the browser's cookie.
    ///   - username: The user name that was typed.
    ///   - now: The time.
    /// - Returns: What is stored.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func reads(
        ofRequest referenceHash: SecretHash,
        in sessionHash: SecretHash?,
        userNamed username: String?,
        at now: Timestamp
    ) async throws(StorageError) -> PendingRequestReads {
        try await snapshot { connection throws(StorageError) in
            guard let request = try connection.request(referenceHash, at: now) else { return PendingRequestReads() }
            var reads = PendingRequestReads(
                request: request,
                client: try connection.client(request.request.clientID)
            )
            if let username { reads.namedUser = try connection.user(named: username) }
            guard let sessionHash, let session = try connection.session(sessionHash, at: now) else { return reads }
            let consent = request.request.consent(of: session.subject, at: now)
            reads.browser = SessionReads(
                session: session,
                user: try connection.user(subject: session.subject),
                consent: try connection.consent(
                    of: consent.subject,
                    to: consent.clientID,
                    details: consent.detailsHash
                )
            )
            return reads
        }
    }

    /// Reads for a request that is not stored; see ``/ServerStorage/RequestReadStore/reads(ofClient:in:at:)``.
    ///
    /// - Parameters:
    ///   - clientID: `client_id`.
    ///   - sessionHash: The hash of the browser's cookie.
    ///   - now: The time.
    /// - Returns: The client, and who is signed in.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func reads(
        ofClient clientID: String?,
        in sessionHash: SecretHash?,
        at now: Timestamp
    ) async throws(StorageError) -> (client: RegisteredClient?, browser: SessionReads) {
        try await snapshot { connection throws(StorageError) in
            let client = if let clientID { try connection.client(clientID) } else { RegisteredClient?.none }
            guard let sessionHash, let session = try connection.session(sessionHash, at: now) else {
                return (client, SessionReads())
            }
            return (client, SessionReads(session: session, user: try connection.user(subject: session.subject)))
        }
    }

    /// Reads everything of one moment.
    private func snapshot<Value: Sendable>(
        _ body: @Sendable (SQLiteConnection) throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        try await reader.perform { connection throws(StorageError) in
            try connection.snapshot { () throws(StorageError) in try body(connection) }
        }
    }
}

extension SQLiteConnection {
    fileprivate func read(_ token: TokenReference, at now: Timestamp) throws(StorageError) -> TokenRead {
        switch token {
        case .accessToken(let secret):
            guard let stored = try liveAccessToken(secret.hash, at: now) else { return TokenRead() }
            let derived = try derivedGrant(stored.grantID)
            return TokenRead(accessToken: stored, grant: derived?.grant, parentCount: derived?.parentCount ?? 0)
        case .refreshToken(let secret):
            guard let refresh = try refresh(of: secret) else { return TokenRead() }
            return TokenRead(
                refreshToken: refresh.stored,
                isLive: refresh.isLive(at: now),
                grant: refresh.isRevoked ? nil : try grantInForce(secret.grantID)
            )
        case .grant(let id):
            let derived = try derivedGrant(id)
            return TokenRead(grant: derived?.grant, parentCount: derived?.parentCount ?? 0)
        case .none: return TokenRead()
        }
    }
}

extension SQLiteConnection {
    /// The user of a grant that is in force.
    fileprivate func user(ofGrant grantID: String) throws(StorageError) -> UserAccount? {
        guard let grant = try grantInForce(grantID) else { return nil }
        return try user(subject: grant.subject)
    }
}
#endif
