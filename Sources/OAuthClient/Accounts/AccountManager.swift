// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
public import OAuthTransport
import StrictJSON

/// The accounts of an app at one server: several users of one device, of whom one is in use.
///
/// <!-- given: import SigningKeys; let directory: String; let keyStore: any KeyStore -->
/// ```swift
/// let manager = try AccountManager(
///     issuer: "https://auth.example.com",
///     clientID: "my-app",
///     redirectURI: "http://127.0.0.1/callback",
///     storage: .directory(directory, keysIn: keyStore)
/// )
/// let session = try await manager.signIn(scopes: ["openid", "notes:read"], using: .systemBrowser)
/// for account in try await manager.accounts() { print(account.displayName ?? account.id) }
/// ```
///
/// Each account has tokens and a key of its own. The list says which accounts there are, and outlives the process with the
/// storage. An account is recognized by `sub`, so request the scope `openid`: a second sign-in of the same user then replaces
/// the older account, whose tokens are revoked.
///
/// A list belongs to the server and the client of the manager that made its first account. With the list of another one, every
/// function throws ``OAuthClientError/Code/invalidArgument`` and changes nothing.
public actor AccountManager: RedactedSecret {
    let store: any AccountStore
    let owner: AccountList.Owner
    let clock: any WallClock
    private let entropy: any Entropy
    let makeClient: @Sendable (AccountSummary.ID) throws(OAuthClientError) -> OAuth2Client
    let state = LatestValue(SessionState.unknown)
    var sessions: [AccountSummary.ID: OAuthSession] = [:]
    /// The watch of each account's session, and how many were ever made.
    var watching: [AccountSummary.ID: Watch] = [:]
    var watchCount = 0
    /// When this manager last worked on a sign-out that is not known to be finished.
    var attempts: [AccountSummary.ID: Timestamp] = [:]

    /// Makes a manager; nothing is read yet.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the authorization server: an https URL without query and fragment.
    ///   - clientID: The identifier that the client is registered with.
    ///   - redirectURI: The redirect URI that the client is registered with.
    ///   - configuration: The settings of the clients; `account` is not used.
    ///   - storage: Where keys, tokens, waiting sign-ins and the list of accounts are kept.
    ///   - transport: How requests are sent.
    ///   - clock: The wall clock.
    ///   - entropy: The source of randomness.
    /// - Throws: The codes of the initializer of ``OAuth2Client``; ``OAuthClientError/Code/invalidArgument`` for a storage
    ///   without ``ClientStorage/accountStore``.
    public init(
        issuer: String,
        clientID: String,
        redirectURI: String,
        configuration: OAuth2ClientConfiguration = OAuth2ClientConfiguration(),
        storage: ClientStorage,
        transport: any ClientTransport = PlatformTransport(),
        clock: any WallClock = SystemWallClock(),
        entropy: any Entropy = SystemEntropy()
    ) throws(OAuthClientError) {
        guard let store = storage.accountStore else {
            throw OAuthClientError(.invalidArgument, "the storage keeps no list of accounts: give it an accountStore")
        }
        self.store = store
        owner = AccountList.Owner(issuer: issuer, clientID: clientID)
        self.clock = clock
        self.entropy = entropy
        // One context: the metadata are fetched once for all accounts.
        let context = ServerContext(issuer: issuer)
        makeClient = { id throws(OAuthClientError) in
            var configuration = configuration
            configuration.account = id
            return try OAuth2Client(
                issuer: issuer,
                clientID: clientID,
                redirectURI: redirectURI,
                configuration: configuration,
                keyStore: storage.keyStore,
                tokenStore: storage.tokenStore,
                transactionStore: storage.transactionStore,
                transport: transport,
                clock: clock,
                entropy: entropy,
                sharing: context
            )
        }
        // Wrong settings are an error now, not at the first sign-in.
        _ = try makeClient("check")
    }

    deinit {
        for watch in watching.values { watch.task.cancel() }
    }

    /// The accounts, in the order of their first sign-ins.
    ///
    /// A sign-in whose process ended before it could finish the list is completed here, if its tokens were stored. A sign-out
    /// that the server was not told of, or whose process ended, is taken up again, in the background.
    ///
    /// - Returns: The accounts.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    public func accounts() async throws(OAuthClientError) -> [AccountSummary] {
        let list = try await settled(completed(list()))
        return list.accounts.filter { !$0.isPending }
    }

    /// The account in use.
    ///
    /// - Returns: The account; `nil` if none is in use.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    public func current() async throws(OAuthClientError) -> AccountSummary? {
        try await list().current
    }

    /// The session of the account in use, restored from the storage if need be.
    ///
    /// - Returns: The session; `nil` if no account is in use, or its user must sign in again.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    public func session() async throws(OAuthClientError) -> OAuthSession? {
        let list = try await settled(list())
        guard let account = list.current else {
            state.set(.signedOut)
            return nil
        }
        return try await session(of: account)
    }

    /// Uses an account from now on.
    ///
    /// - Parameter id: The account.
    /// - Returns: Its session; `nil` if its user must sign in again.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` for an account that is not in the list,
    ///   ``OAuthClientError/Code/storageFailed``.
    @discardableResult
    public func select(_ id: AccountSummary.ID) async throws(OAuthClientError) -> OAuthSession? {
        let changed = try await update { list in
            if list[id]?.isPending == false { list.currentID = id }
        }
        let list = await settled(changed)
        guard changed.currentID == id, let account = list[id] else { throw Self.unknownAccount }
        return try await session(of: account)
    }

    /// Signs a user in, and uses the account from now on.
    ///
    /// - Parameters:
    ///   - scopes: The scope tokens to request, one each; with `openid`, the account is known by its user.
    ///   - userAgent: Shows the pages of the server to the user.
    ///   - options: What to request in addition to the scopes.
    ///   - id: An account whose user signs in again; `nil` for a new one. If its `sub` is known, request `openid`: another
    ///     user is an error, whose tokens are revoked and never stored.
    /// - Returns: The session. A caller that is cancelled after the server has answered gets none, and the sign-in is
    ///   finished nevertheless.
    /// - Throws: The codes of ``OAuth2Client/signIn(scopes:using:options:)``, ``OAuthClientError/Code/anotherUser``,
    ///   ``OAuthClientError/Code/invalidArgument`` for an account that is not in the list, or without `openid` for an
    ///   account whose `sub` is known,
    ///   ``OAuthClientError/Code/storageFailed``.
    public func signIn(
        scopes: [String],
        using userAgent: some UserAgent,
        options: AuthorizationOptions = AuthorizationOptions(),
        as id: AccountSummary.ID? = nil
    ) async throws(OAuthClientError) -> OAuthSession {
        let account = id ?? Base64URL.encode(entropy.bytes(16))
        let client = try makeClient(account)
        var options = options
        if let id {
            guard let known = try await settled(list())[id] else { throw Self.unknownAccount }
            // Another user's tokens must never be stored for the account, whatever the server makes of the hint.
            options.expectedSubject = known.subject
            if options.idTokenHint == nil, let subject = known.subject {
                options.idTokenHint = try await hint(of: subject, client)
            }
        }
        // Listed before the tokens are stored, so that no tokens exist that no list names.
        if id == nil { try await notePending(account) }
        let callback: AuthorizationCallback
        do throws(OAuthClientError) {
            callback = try await client.callback(scopes: scopes, using: userAgent, options: options)
        } catch {
            // In a task of its own: the caller may be cancelled, and would clean up nothing.
            if id == nil { await Task { await self.dropPending(account, client) }.value }
            throw error
        }
        // Once there is a response, the tokens are stored even if the caller gives up: then the list must name them.
        return try await Uncancelled.run { () async throws(OAuthClientError) in
            try await self.finish(callback, client, account, isNew: id == nil)
        }
    }

    /// The stored id_token of a user who signs in again; `nil` if there is none, or the tokens are damaged: the sign-in
    /// replaces them.
    private func hint(
        of subject: String,
        _ client: OAuth2Client
    ) async throws(OAuthClientError) -> IDToken? {
        do throws(OAuthClientError) {
            let stored = try await client.storedTokens()?.idToken
            return stored.flatMap { $0.subject.isIdentical(to: subject) ? $0 : nil }
        } catch {
            guard !error.mayPass else { throw error }
            return nil
        }
    }

    private func finish(
        _ callback: AuthorizationCallback,
        _ client: OAuth2Client,
        _ id: AccountSummary.ID,
        isNew: Bool
    ) async throws(OAuthClientError) -> OAuthSession {
        let session: OAuthSession
        do throws(OAuthClientError) {
            session = try await client.resumeSignIn(callback)
        } catch {
            if isNew { await dropPending(id, client) }
            throw error
        }
        try await take(session, of: id)
        return session
    }

    /// The state of the account in use, for views: the newest one first, then each change.
    ///
    /// Changes by another process are seen with the next call of this manager. A reader that is slow may miss states that
    /// are over.
    ///
    /// - Returns: A stream that ends with the manager.
    public nonisolated func states() -> AsyncStream<SessionState> {
        state.stream()
    }

    nonisolated var latestState: SessionState { state.value }

    // MARK: - Sessions

    private func session(of account: AccountSummary) async throws(OAuthClientError) -> OAuthSession? {
        var session = try await stored(account.id)
        var isOther = false
        if let found = session { isOther = try await isAnother(found, than: account) }
        if isOther { session = nil }
        let isSignedIn = session != nil
        let absence: NeedsSignIn = isOther ? .anotherUser : .expired
        // A session that the server refuses goes on when the operator puts the client back.
        let isKnown = isSignedIn && account.needsSignIn == .clientRefused
        let isChanged = !isKnown && isSignedIn != (account.needsSignIn == nil)
        let now = clock.now()
        // To the minute: not every use is worth a write.
        let isUse = isSignedIn && abs(now.secondsSince1970 - account.lastUsedAt.secondsSince1970) >= 60
        guard isChanged || isUse else {
            try await publish(list())
            return session
        }
        let changed = try await update { list in
            if isUse { list[account.id]?.lastUsedAt = now }
            guard isChanged else { return }
            // Without tokens or key; an event may have said more by now.
            let known = list[account.id]?.needsSignIn
            list[account.id]?.needsSignIn = isSignedIn ? nil : known ?? absence
        }
        publish(changed)
        return session
    }

    /// The session of an account; made once.
    private func stored(_ id: AccountSummary.ID) async throws(OAuthClientError) -> OAuthSession? {
        if let session = sessions[id] { return session }
        let client = try makeClient(id)
        // From before the session is looked for, which may send an event.
        let events = client.sessionEvents()
        let restored = try await client.restoreSession()
        // Another caller may have been faster: then its session is the one that is used, and watched already.
        let kept = sessions[id]
        if kept == nil {
            watch(id, events)
            sessions[id] = restored
        }
        return restored == nil ? nil : kept ?? restored
    }

    /// A new session: it replaces older accounts of the same user.
    private func take(_ session: OAuthSession, of id: AccountSummary.ID) async throws(OAuthClientError) {
        let tokens = try await session.tokenManager.signedInTokens()
        let (now, issuer) = (clock.now(), owner.issuer)
        var replaced: [AccountSummary.ID] = []
        if let subject = tokens.idToken?.subject {
            replaced = try await list().accounts.filter { $0.id != id && $0.subject == subject }.map(\.id)
        }
        let removed = replaced
        // From here on, events of the earlier session are ignored.
        stopWatching(id)
        let list = try await update { list in
            var account = list[id] ?? AccountSummary(id: id, issuer: issuer, signedInAt: now)
            account.take(tokens, at: now)
            list[id] = account
            list.ended.removeAll { $0.id == id }
            for old in removed {
                list.note(EndedAccount(id: old, endedAt: now))
                list[old] = nil
            }
            list.currentID = id
        }
        sessions[id] = session
        watch(id, session.events())
        for old in removed {
            attempts[old] = now
            // Tokens of the older account that cannot be read now are no reason to fail: their sign-out stays listed.
            let session = try? await sessionToEnd(old)
            stopWatching(old)
            await end(EndedAccount(id: old, endedAt: now), session)
        }
        publish(list)
    }
}
