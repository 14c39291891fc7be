// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
public import OAuthSystem
public import OAuthTransport
public import SigningKeys
import StrictJSON

/// Signs a user in for one MCP server, whose authorization server the app need not know, and calls the server.
///
/// ```swift
/// let app = MCPClientIdentity(name: "My Agent")
/// let notes = try MCPAuthorization(for: "https://notes.example/mcp", as: app, using: .systemBrowser)
/// let session = try await notes.session()
/// ```
///
/// It finds the authorization server, becomes known to it, asks for the scopes that the server names, and keeps one session
/// for each server, whose tokens are for that server alone (RFC 8707). Tokens are bound to a key (DPoP) where the server can
/// check that, and are Bearer tokens elsewhere. A server that does not announce PKCE is refused.
///
/// ## Specification
///
/// Model Context Protocol 2026-07-28, Authorization
public actor MCPAuthorization: RedactedSecret {
    /// The URL of the server in its one spelling: scheme and host in lower case, without the usual port and a slash at the
    /// end.
    public nonisolated let server: String

    let url: MCPServerURL
    let planner: MCPPlanner
    let identity: MCPClientIdentity
    let configuration: OAuth2ClientConfiguration
    let userAgent: (any UserAgent)?
    let store: any MCPStateStore
    let makeClient:
        @Sendable (_ plan: MCPPlan, _ configuration: OAuth2ClientConfiguration) throws(OAuthClientError) ->
            OAuth2Client
    var current: (session: OAuthSession, record: MCPServerRecord)?
    let monotonicClock: any MonotonicClock
    let signingIn = SharedWork<OAuthSession>()
    /// The sign-ins since the server accepted a new session, also those that the user denied or did not finish.
    var signIns = BrowserLimit()
    /// Whether the newest session is untried: the server has not answered any of its requests yet.
    var isUntried = false

    /// Prepares the sign-in for a server; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - server: The URL of the MCP server: https, or http on a loopback address if the configuration allows it.
    ///   - identity: Who the app is.
    ///   - userAgent: Shows the pages of the authorization server; `nil` if no user is there: then only a stored session is
    ///     used.
    ///   - configuration: The settings of the client. Its account names the user; its token binding counts where tokens are
    ///     bound.
    ///   - store: Keeps what was learned of servers, for one user: the servers share it, other users have stores of their own.
    ///   - keyStore: The store of the keys that tokens are bound to.
    ///   - tokenStore: The store of the tokens.
    ///   - transactionStore: The store of sign-ins that wait for their response.
    ///   - transport: How requests are sent. It must follow no redirects.
    ///   - clock: The wall clock.
    ///   - monotonicClock: The clock that decides, while the process runs, whether a token has expired, and whether the user may
    ///     be asked again.
    ///   - entropy: The source of random values.
    /// - Throws: ``OAuthClientError/Code/invalidArgument``, ``OAuthClientError/Code/insecureURL``.
    public init(
        for server: String,
        as identity: MCPClientIdentity,
        using userAgent: (any UserAgent)?,
        configuration: OAuth2ClientConfiguration = OAuth2ClientConfiguration(),
        store: any MCPStateStore = MemoryMCPStateStore(),
        keyStore: any KeyStore = MemoryKeyStore(),
        tokenStore: any TokenStore = MemoryTokenStore(),
        transactionStore: any TransactionStore = MemoryTransactionStore(),
        transport: any ClientTransport = PlatformTransport(),
        clock: any WallClock = SystemWallClock(),
        monotonicClock: any MonotonicClock = SystemMonotonicClock(),
        entropy: any Entropy = SystemEntropy()
    ) throws(OAuthClientError) {
        let policy = URLPolicy(allowsInsecureHTTPOnLoopback: configuration.allowsInsecureHTTPOnLoopback)
        let url = try MCPServerURL(server, policy)
        let transport: any ClientTransport =
            identity.allowsLegacyServers ? LegacyServerTransport(origin: url.origin, wrapped: transport) : transport
        self.url = url
        self.server = url.text
        self.identity = identity
        self.userAgent = userAgent
        self.configuration = configuration
        self.store = store
        self.monotonicClock = monotonicClock
        planner = MCPPlanner(
            server: url,
            identity: identity,
            store: store,
            transport: transport,
            policy: policy,
            clock: clock
        )
        makeClient = { (plan, configuration) throws(OAuthClientError) in
            try OAuth2Client(
                issuer: plan.record.issuer,
                clientID: plan.record.clientID,
                redirectURI: plan.record.redirectURI,
                configuration: configuration,
                keyStore: keyStore,
                tokenStore: tokenStore,
                transactionStore: transactionStore,
                transport: transport,
                clock: clock,
                monotonicClock: monotonicClock,
                entropy: entropy,
                sharing: plan.context
            )
        }
    }

    /// The session of the user: the one in use, the stored one, or one that the user signs in for now.
    ///
    /// If the user denies access or closes the browser, or new sessions end before the MCP server has accepted them, or
    /// their tokens were refreshed without a refusal, the user is asked at most three times in an hour. ``signIn()`` and
    /// ``OAuthSession/signOut()`` lift this limit.
    ///
    /// Callers that wait for the same sign-in share it. One that is cancelled stops waiting at once, and the sign-in is cancelled
    /// with the last of them. Send requests to the server alone with it; ``send(_:body:maximumBodySize:timeout:)``
    /// checks that.
    ///
    /// - Returns: The session.
    /// - Throws: ``OAuthClientError/Code/unsupportedByServer`` when no authorization server can be found, does not announce
    ///   PKCE, or cannot get to know the app, ``OAuthClientError/Code/metadataOfAnotherResource``,
    ///   ``OAuthClientError/Code/issuerChanged``, ``OAuthClientError/Code/sessionEnded`` without a user agent and
    ///   when the user is not asked again,
    ///   ``OAuthClientError/Code/storageFailed``, and the codes of ``OAuth2Client/signIn(scopes:using:options:)``.
    public func session() async throws(OAuthClientError) -> OAuthSession {
        if let session = await sessionInUse() { return session }
        return try await signingIn.run { () async throws(OAuthClientError) -> OAuthSession in
            try await self.nextSession()
        }
    }

    /// Signs the user in at the user's own request, for example after a click on a button.
    ///
    /// Earlier sign-ins that the user denied or did not finish no longer count towards the limit of ``session()``. An agent that
    /// works by itself must not call this.
    ///
    /// - Returns: The session, as from ``session()``: the user signs in only if there is none.
    /// - Throws: The codes of ``session()``.
    public func signIn() async throws(OAuthClientError) -> OAuthSession {
        signIns = BrowserLimit()
        return try await session()
    }

    /// The session in use, unless it has ended, or needs a new client.
    private func sessionInUse() async -> OAuthSession? {
        guard let current, (try? await current.session.tokenManager.signedInTokens()) != nil else { return nil }
        return await needsAnotherClient(current) ? nil : current.session
    }

    /// Whether the authorization server does not know the client of a session any more, so that the app must register again
    /// (RFC 7591 section 3.2.1).
    ///
    /// Without a user the session stays, with the pauses of its refreshes: the server may know the client again.
    private func needsAnotherClient(_ used: (session: OAuthSession, record: MCPServerRecord)) async -> Bool {
        guard userAgent != nil, used.record.client == .registeredItself else { return false }
        return await used.session.tokenManager.needsAnotherClient
    }

    private func nextSession() async throws(OAuthClientError) -> OAuthSession {
        // Another sign-in may have ended while this call was on its way.
        if let session = await sessionInUse() { return session }
        var refused: MCPServerRecord?
        if let current, await needsAnotherClient(current) { refused = current.record }
        if let restored = try await restoredSession(insteadOf: refused) { return restored }
        try await requireTurn()
        return try await signIn(nil, insteadOf: refused)
    }

    /// The user signs in again, after the server refused the session, unless recent sign-ins did not help.
    ///
    /// - Parameters:
    ///   - session: The session that was refused; if there is a newer one, that is returned.
    ///   - challenges: The challenges of the refusal; `nil` if the MCP server was not asked.
    ///   - refused: The client that the authorization server refused; `nil` for none.
    /// - Returns: The new session; `nil` if the user is not asked again.
    /// - Throws: ``OAuthClientError``, with the codes of ``session()``.
    func renew(
        _ session: OAuthSession,
        _ challenges: [Challenge]?,
        insteadOf refused: MCPServerRecord? = nil
    ) async throws(OAuthClientError) -> OAuthSession? {
        if let current, current.session !== session { return current.session }
        guard signIns.allowsAnother(at: monotonicClock.elapsed()) else { return nil }
        return try await signingIn.run { () async throws(OAuthClientError) -> OAuthSession in
            try await self.successor(of: session, challenges, insteadOf: refused)
        }
    }

    private func successor(
        of session: OAuthSession,
        _ challenges: [Challenge]?,
        insteadOf refused: MCPServerRecord?
    ) async throws(OAuthClientError) -> OAuthSession {
        // Another sign-in may have ended while this call was on its way.
        if let current, current.session !== session { return current.session }
        // Another process may have registered anew, and signed in.
        if challenges == nil, let restored = try await restoredSession(insteadOf: refused) { return restored }
        return try await signIn(challenges, insteadOf: refused)
    }

    /// The user signs in again, with a new client, after the authorization server refused to refresh the tokens of one that had
    /// registered itself: it has lost its registrations, or the secret has expired.
    ///
    /// A client that was registered by hand keeps its session: only its administrator can restore the registration. So does
    /// one whose user does not sign in again: until then nothing is forgotten, and the server may know the client again.
    ///
    /// - Parameters:
    ///   - session: The session whose client was refused; if there is a newer one, that is returned.
    ///   - error: Why a call failed.
    /// - Returns: The new session; `nil` if the error is another one, and if the user is not asked again.
    /// - Throws: ``OAuthClientError``, with the codes of ``session()``.
    func replace(
        _ session: OAuthSession,
        after error: OAuthClientError
    ) async throws(OAuthClientError) -> OAuthSession? {
        // RFC 6749 section 5.2. While the pause after a refused refresh lasts, the error has the same answer.
        guard error.answer?.error == .invalidClient, let current, current.record.client == .registeredItself else {
            return nil
        }
        guard current.session === session else { return current.session }
        // Without a user the session stays: the server may know the client again.
        guard userAgent != nil, signIns.allowsAnother(at: monotonicClock.elapsed()) else { return nil }
        return try await renew(session, nil, insteadOf: current.record)
    }

    /// Notes the server's first answer to a session: if it accepts the session, the sign-ins so far no longer count.
    func note(_ session: OAuthSession, wasAccepted: Bool) {
        guard isUntried, current?.session === session else { return }
        isUntried = false
        // The app may have sent requests with the session itself before.
        if wasAccepted || session.tokenManager.rejections.hasAccepted { signIns = BrowserLimit() }
    }

    /// Checks that another sign-in may begin.
    ///
    /// A server that refuses each token, and its refresh, would otherwise open a browser for each call, and so would an agent that
    /// tries again after its user has denied.
    private func requireTurn() async throws(OAuthClientError) {
        if let session = current?.session, await session.tokenManager.isSignedOut {
            // The app ended the session itself: only sign-ins from now on count.
            signIns = BrowserLimit()
            current = nil
        }
        if isUntried, let manager = current?.session.tokenManager {
            // The app sends its requests with the session itself: what became of them only the session knows.
            // A refresh that a rejection caused, and that did not help, says nothing for the session.
            let hasRefreshed = await manager.hasRefreshed
            let hasWorked = manager.rejections.hasAccepted || hasRefreshed && !manager.rejections.areAny
            if hasWorked { (signIns, isUntried) = (BrowserLimit(), false) }
        }
        guard signIns.allowsAnother(at: monotonicClock.elapsed()) else {
            throw OAuthClientError(
                .sessionEnded,
                "three sign-ins did not lead to a session that the MCP server accepts: call signIn() when the user wants to, "
                    + "or try again in an hour"
            )
        }
    }

    /// What is known of the server.
    func record() -> MCPServerRecord? { current?.record }

    /// Notes the scopes of a sign-in that has succeeded.
    func note(asked scopes: [String]) async {
        guard let session = current?.session, var record = current?.record else { return }
        for scope in scopes where !record.scopes.contains(scope) { record.scopes.append(scope) }
        current = (session, record)
        // The stored tokens contain what was granted: the call continues even if this list cannot be stored.
        try? await save(record)
    }
}
