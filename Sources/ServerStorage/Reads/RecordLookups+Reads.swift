// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

extension RecordLookups {
    /// A grant that is in force, and whose parents all are.
    package func grantInForce(_ id: String) throws(StorageError) -> Grant? {
        try derivedGrant(id)?.grant
    }

    /// A grant that is in force, and the number of grants that it derives from, which all are in force too.
    private func derivedGrant(_ id: String) throws(StorageError) -> (grant: Grant, parentCount: Int)? {
        guard let grant = try self.grant(id) else { return nil }
        // One after the other: no revoked grant becomes valid again, so a parent that is in force now was also in
        // force before.
        var (parentCount, parentID) = (0, grant.parentID)
        while let id = parentID {
            guard let parent = try self.grant(id) else { return nil }
            parentCount += 1
            parentID = parent.parentID
        }
        return (grant, parentCount)
    }

    /// The user of a grant that is in force.
    package func user(ofGrant grantID: String) throws(StorageError) -> UserAccount? {
        guard let grant = try grantInForce(grantID) else { return nil }
        return try user(subject: grant.subject)
    }

    /// Reads for ``RequestReadStore/reads(ofCode:for:)``.
    package func reads(ofCode code: GrantSecret?, for clientID: String) throws(StorageError) -> CodeReads {
        var reads = CodeReads(client: try client(clientID))
        guard let code, let stored = try self.code(code.hash) else { return reads }
        reads.code = stored
        reads.grant = try grantInForce(stored.grantID)
        return reads
    }

    /// Reads for ``RequestReadStore/reads(ofRefreshToken:for:)``.
    package func reads(
        ofRefreshToken token: GrantSecret?,
        for clientID: String
    ) throws(StorageError) -> RefreshTokenReads {
        var reads = RefreshTokenReads(client: try client(clientID))
        guard let token, let refresh = try self.refresh(of: token) else { return reads }
        reads.refreshToken = refresh.stored
        if !refresh.isRevoked { reads.grant = try grantInForce(token.grantID) }
        return reads
    }

    /// Reads for ``RequestReadStore/reads(ofDeviceCode:for:)``.
    package func reads(ofDeviceCode code: GrantSecret?, for clientID: String) throws(StorageError) -> DeviceCodeReads {
        var reads = DeviceCodeReads(client: try client(clientID))
        guard let code, let device = try self.device(code.hash) else { return reads }
        reads.device = device
        reads.isAllowed = try deviceState(code.hash)?.state.isAllowed ?? false
        if reads.isAllowed { reads.grant = try grantInForce(device.grantID) }
        return reads
    }

    /// Reads for ``RequestReadStore/reads(ofTokens:for:at:)``.
    package func reads(
        ofTokens tokens: [TokenReference],
        for clientID: String,
        at now: Timestamp
    ) throws(StorageError) -> TokenReads {
        var reads = TokenReads(client: try client(clientID))
        for token in tokens { reads.tokens.append(try read(token, at: now)) }
        return reads
    }

    private func read(_ token: TokenReference, at now: Timestamp) throws(StorageError) -> TokenRead {
        switch token {
        case .accessToken(let secret):
            guard let stored = try liveAccessToken(secret.hash, at: now) else { return TokenRead() }
            let derived = try derivedGrant(stored.grantID)
            return TokenRead(accessToken: stored, grant: derived?.grant, parentCount: derived?.parentCount ?? 0)
        case .refreshToken(let secret):
            guard let refresh = try self.refresh(of: secret) else { return TokenRead() }
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

extension RecordLookups {
    /// Reads for ``RequestReadStore/reads(ofRequest:in:userNamed:at:)``.
    package func reads(
        ofRequest referenceHash: SecretHash,
        in sessionHash: SecretHash?,
        userNamed username: String?,
        at now: Timestamp
    ) throws(StorageError) -> PendingRequestReads {
        guard let request = try self.request(referenceHash, at: now) else { return PendingRequestReads() }
        var reads = PendingRequestReads(request: request, client: try client(request.request.clientID))
        if let username { reads.namedUser = try user(named: username) }
        guard let sessionHash, let session = try self.session(sessionHash, at: now) else { return reads }
        let consent = request.request.consent(of: session.subject, at: now)
        reads.browser = SessionReads(
            session: session,
            user: try user(subject: session.subject),
            consent: try self.consent(of: consent.subject, to: consent.clientID, details: consent.detailsHash)
        )
        return reads
    }

    /// Reads for ``RequestReadStore/reads(ofClient:in:at:)``.
    package func reads(
        ofClient clientID: String?,
        in sessionHash: SecretHash?,
        at now: Timestamp
    ) throws(StorageError) -> (client: RegisteredClient?, browser: SessionReads) {
        let client = if let clientID { try self.client(clientID) } else { RegisteredClient?.none }
        guard let sessionHash, let session = try self.session(sessionHash, at: now) else {
            return (client, SessionReads())
        }
        return (client, SessionReads(session: session, user: try user(subject: session.subject)))
    }

    /// Reads for ``RequestReadStore/reads(ofFirstPartySession:for:userNamed:at:)``.
    package func reads(
        ofFirstPartySession id: String?,
        for clientID: String?,
        userNamed username: String?,
        at now: Timestamp
    ) throws(StorageError) -> FirstPartyReads {
        var reads = FirstPartyReads()
        if let id { reads.session = try firstPartySession(id) }
        if let clientID = clientID ?? reads.session?.request.clientID { reads.client = try client(clientID) }
        guard let username else { return reads }
        reads.namedUser = try user(named: username)
        // The same statement for a name without an account: the time does not show which names exist.
        let isKnown = try knowsKey(of: reads.session?.request, subject: reads.namedUser?.subject ?? "", at: now)
        reads.isKnownKey = isKnown && reads.namedUser != nil
        return reads
    }
}
