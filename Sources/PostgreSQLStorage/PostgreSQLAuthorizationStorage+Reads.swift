// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension PostgreSQLAuthorizationStorage {
    /// Reads for the exchange of a code; see ``/ServerStorage/RequestReadStore/reads(ofCode:for:)``.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - clientID: `client_id`.
    /// - Returns: What is stored.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func reads(ofCode code: GrantSecret?, for clientID: String) async throws(StorageError) -> CodeReads {
        let plan = code.flatMap { PostgreSQLPlan.reads(ofCode: $0, for: clientID) }
        return try await snapshot(plan) { connection throws(StorageError) in
            try connection.reads(ofCode: code, for: clientID)
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
        let plan = token.flatMap { PostgreSQLPlan.reads(ofRefreshToken: $0, for: clientID) }
        return try await snapshot(plan) { connection throws(StorageError) in
            try connection.reads(ofRefreshToken: token, for: clientID)
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
            try connection.reads(ofDeviceCode: code, for: clientID)
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
            try connection.reads(ofTokens: tokens, for: clientID, at: now)
        }
    }

    /// Reads for the userinfo endpoint; see ``/ServerStorage/RequestReadStore/user(ofGrant:)``.
    ///
    /// - Parameter grantID: The identifier of the grant.
    /// - Returns: The user of a grant that is in force.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func user(ofGrant grantID: String) async throws(StorageError) -> UserAccount? {
        try await snapshot(.user(ofGrant: grantID)) { connection throws(StorageError) in
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
        let plan = PostgreSQLProofPlan(recording, within: singleUses, at: now)
            .flatMap { PostgreSQLPlan.user(ofGrant: grantID, recording: $0) }
        return try await writeRecorded(recording, at: now, trying: plan) { connection throws(StorageError) in
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
            try connection.reads(ofRequest: referenceHash, in: sessionHash, userNamed: username, at: now)
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
        var plan: PostgreSQLPlan<(client: RegisteredClient?, browser: SessionReads)>?
        if let clientID, let sessionHash { plan = .reads(ofClient: clientID, in: sessionHash, at: now) }
        return try await snapshot(plan) { connection throws(StorageError) in
            try connection.reads(ofClient: clientID, in: sessionHash, at: now)
        }
    }

    /// Reads everything of one moment.
    private func snapshot<Value: Sendable>(
        _ plan: PostgreSQLPlan<Value>? = nil,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        // Every read is a transaction with one snapshot.
        try await pool.read(plan, body)
    }
}

extension PostgreSQLConnection: RecordLookups {}
#endif
