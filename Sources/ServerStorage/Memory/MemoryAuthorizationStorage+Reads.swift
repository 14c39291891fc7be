// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// Reads for the exchange of a code; see ``RequestReadStore/reads(ofCode:for:)``.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - clientID: `client_id`.
    /// - Returns: What is stored.
    public func reads(ofCode code: GrantSecret?, for clientID: String) -> CodeReads {
        tables.withLock { tables in
            let stored = code.flatMap { tables.codes[$0.hash]?.record }
            return CodeReads(
                client: tables.client(clientID),
                code: stored,
                grant: stored.flatMap { tables.grantInForce($0.grantID) }
            )
        }
    }

    /// Reads for the use of a refresh token; see ``RequestReadStore/reads(ofRefreshToken:for:)``.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - clientID: `client_id`.
    /// - Returns: What is stored.
    public func reads(ofRefreshToken token: GrantSecret?, for clientID: String) -> RefreshTokenReads {
        tables.withLock { tables in
            let stored = token.flatMap { tables.refreshToken($0) }
            return RefreshTokenReads(
                client: tables.client(clientID),
                refreshToken: stored,
                grant: stored.flatMap { tables.grantInForce($0.grantID) }
            )
        }
    }

    /// Reads for a device's token request; see ``RequestReadStore/reads(ofDeviceCode:for:)``.
    ///
    /// - Parameters:
    ///   - code: The device code.
    ///   - clientID: `client_id`.
    /// - Returns: What is stored.
    public func reads(ofDeviceCode code: GrantSecret?, for clientID: String) -> DeviceCodeReads {
        tables.withLock { tables in
            let stored = code.flatMap { tables.devices[$0.hash] }
            let isAllowed = stored?.state.isAllowed ?? false
            return DeviceCodeReads(
                client: tables.client(clientID),
                device: stored?.record,
                isAllowed: isAllowed,
                grant: isAllowed ? stored.flatMap { tables.grantInForce($0.record.grantID) } : nil
            )
        }
    }

    /// Reads for introspection, revocation and token exchange; see ``RequestReadStore/reads(ofTokens:for:at:)``.
    ///
    /// - Parameters:
    ///   - tokens: Where the presented tokens are stored.
    ///   - clientID: `client_id`.
    ///   - now: The time.
    /// - Returns: What is stored.
    public func reads(ofTokens tokens: [TokenReference], for clientID: String, at now: Timestamp) -> TokenReads {
        tables.withLock { tables in
            TokenReads(client: tables.client(clientID), tokens: tokens.map { tables.read($0, at: now) })
        }
    }

    /// Reads for the userinfo endpoint; see ``RequestReadStore/user(ofGrant:)``.
    ///
    /// - Parameter grantID: The identifier of the grant.
    /// - Returns: The user of a grant that is in force.
    public func user(ofGrant grantID: String) -> UserAccount? {
        tables.withLock { $0.user(ofGrant: grantID) }
    }

    /// Records a proof and reads its user; see ``RequestReadStore/user(ofGrant:recording:at:)``.
    ///
    /// - Parameters:
    ///   - grantID: The identifier of the grant.
    ///   - recording: The proof.
    ///   - now: The time.
    /// - Returns: The user of a grant that is in force, if the proof was recorded.
    /// - Throws: ``StorageError`` – ``StorageError/Code/alreadyStored``.
    public func user(
        ofGrant grantID: String,
        recording: Recording,
        at now: Timestamp
    ) throws(StorageError) -> Recorded<UserAccount?> {
        try recorded(recording, at: now) { tables throws(StorageError) in tables.user(ofGrant: grantID) }
    }

    /// Reads for the next page of a stored request; see ``RequestReadStore/reads(ofRequest:in:userNamed:at:)``.
    ///
    /// - Parameters:
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - sessionHash: The hash of the browser's cookie.
    ///   - username: The user name that was typed.
    ///   - now: The time.
    /// - Returns: What is stored.
    public func reads(
        ofRequest referenceHash: SecretHash,
        in sessionHash: SecretHash?,
        userNamed username: String?,
        at now: Timestamp
    ) -> PendingRequestReads {
        tables.withLock { tables in
            guard let request = tables.liveRequest(referenceHash, at: now) else { return PendingRequestReads() }
            let session = sessionHash.flatMap { tables.session($0, at: now) }
            let consent = session.flatMap { session in
                tables.consents[MemoryTables.ConsentKey(request.request.consent(of: session.subject, at: now))]
            }
            return PendingRequestReads(
                request: request,
                client: tables.client(request.request.clientID),
                browser: SessionReads(
                    session: session,
                    user: session.flatMap { tables.user(subject: $0.subject) },
                    consent: consent
                ),
                namedUser: username.flatMap { tables.users[MemoryTables.Key($0)] }
            )
        }
    }

    /// Reads for a request that is not stored; see ``RequestReadStore/reads(ofClient:in:at:)``.
    ///
    /// - Parameters:
    ///   - clientID: `client_id`.
    ///   - sessionHash: The hash of the browser's cookie.
    ///   - now: The time.
    /// - Returns: The client, and who is signed in.
    public func reads(
        ofClient clientID: String?,
        in sessionHash: SecretHash?,
        at now: Timestamp
    ) -> (client: RegisteredClient?, browser: SessionReads) {
        tables.withLock { tables in
            let session = sessionHash.flatMap { tables.session($0, at: now) }
            let user = session.flatMap { tables.user(subject: $0.subject) }
            return (clientID.flatMap { tables.client($0) }, SessionReads(session: session, user: user))
        }
    }
}

extension MemoryTables {
    func client(_ clientID: String) -> RegisteredClient? {
        clients[Key(clientID)]
    }

    func user(subject: String) -> UserAccount? {
        usernames[Key(subject)].flatMap { users[$0] }
    }

    func session(_ idHash: SecretHash, at now: Timestamp) -> BrowserSession? {
        sessions[idHash].flatMap { now < $0.expiresAt ? $0 : nil }
    }

    fileprivate func read(_ token: TokenReference, at now: Timestamp) -> TokenRead {
        switch token {
        case .accessToken(let secret):
            let stored = liveAccessToken(secret, at: now)
            let derived = stored.flatMap { derivedGrant($0.grantID) }
            return TokenRead(accessToken: stored, grant: derived?.grant, parentCount: derived?.parentCount ?? 0)
        case .refreshToken(let secret):
            let stored = refreshToken(secret)
            return TokenRead(
                refreshToken: stored,
                isLive: isLive(secret, at: now),
                grant: stored.flatMap { grantInForce($0.grantID) }
            )
        case .grant(let id):
            let derived = derivedGrant(id)
            return TokenRead(grant: derived?.grant, parentCount: derived?.parentCount ?? 0)
        case .none: return TokenRead()
        }
    }
}

extension MemoryTables {
    fileprivate func user(ofGrant grantID: String) -> UserAccount? {
        grantInForce(grantID).flatMap { user(subject: $0.subject) }
    }
}
