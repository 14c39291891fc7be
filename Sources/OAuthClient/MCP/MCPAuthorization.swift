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
    private var current: (session: OAuthSession, record: MCPServerRecord)?
    private let monotonicClock: any MonotonicClock
    private let signingIn = SharedWork<OAuthSession>()
    /// The sign-ins since the server accepted a new session, also those that the user denied or did not finish.
    private var signIns = BrowserLimit()
    /// Whether the server has answered no request of the newest session yet.
    private var isUntried = false

    /// Prepares the sign-in for a server; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - server: The URL of the MCP server: https, or http on a loopback address if the configuration allows it.
    ///   - identity: Who the app is.
    ///   - userAgent: Shows the pages of the authorization server; `nil` if no user is there: then only a stored session is
    ///     used.
    ///   - configuration: The settings of the client. Its account names the user; its token binding counts where tokens are
    ///     bound.
    ///   - store: Keeps what was learned of servers.
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
    /// When the user denies, closes the browser, or gets sessions that end before the server has accepted them, the user is
    /// asked three times in an hour at most. ``signIn()`` and ``OAuthSession/signOut()`` end the wait.
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

    /// The session of the user, as ``session()`` returns it, because the user wants to sign in: call it when the user has pressed
    /// a button, say.
    ///
    /// Earlier sign-ins, which the user denied or did not finish, do not count any more. Do not call it for an agent that
    /// works by itself.
    ///
    /// - Returns: The session.
    /// - Throws: The codes of ``session()``.
    public func signIn() async throws(OAuthClientError) -> OAuthSession {
        signIns = BrowserLimit()
        return try await session()
    }

    /// The session in use, unless it has ended.
    private func sessionInUse() async -> OAuthSession? {
        guard let session = current?.session, (try? await session.tokenManager.signedInTokens()) != nil else {
            return nil
        }
        return session
    }

    private func nextSession() async throws(OAuthClientError) -> OAuthSession {
        // Another sign-in may have ended while this call was on its way.
        if let session = await sessionInUse() { return session }
        if let restored = try await restoredSession() { return restored }
        try await requireTurn()
        return try await signIn(nil)
    }

    /// The user signs in again, after the server refused the session, unless recent sign-ins did not help.
    ///
    /// - Parameters:
    ///   - session: The session that was refused; if there is a newer one, that is returned.
    ///   - challenges: The challenges of the refusal.
    /// - Returns: The new session; `nil` if the user is not asked again.
    /// - Throws: ``OAuthClientError``, with the codes of ``session()``.
    func renew(_ session: OAuthSession, _ challenges: [Challenge]) async throws(OAuthClientError) -> OAuthSession? {
        if let current, current.session !== session { return current.session }
        guard signIns.allowsAnother(at: monotonicClock.elapsed()) else { return nil }
        return try await signingIn.run { () async throws(OAuthClientError) -> OAuthSession in
            try await self.successor(of: session, challenges)
        }
    }

    private func successor(
        of session: OAuthSession,
        _ challenges: [Challenge]
    ) async throws(OAuthClientError) -> OAuthSession {
        // Another sign-in may have ended while this call was on its way.
        if let current, current.session !== session { return current.session }
        return try await signIn(challenges)
    }

    /// Notes the server's first answer to a session: sign-ins that it accepts are what its tokens need, and do not count.
    func note(_ session: OAuthSession, wasAccepted: Bool) {
        guard isUntried, current?.session === session else { return }
        isUntried = false
        if wasAccepted { signIns = BrowserLimit() }
    }

    /// Checks that another sign-in may begin.
    ///
    /// A server that refuses each token, and its refresh, would otherwise open a browser for each call, and so would an agent that
    /// tries again after its user has denied.
    private func requireTurn() async throws(OAuthClientError) {
        if let session = current?.session, await session.tokenManager.isSignedOut {
            // The app wanted that; what follows counts.
            signIns = BrowserLimit()
            current = nil
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

    /// Notes the scopes that the user was asked for.
    func note(asked scopes: [String]) async throws(OAuthClientError) {
        guard let session = current?.session, var record = current?.record else { return }
        for scope in scopes where !record.scopes.contains(scope) { record.scopes.append(scope) }
        current = (session, record)
        try await save(record)
    }

    private func restoredSession() async throws(OAuthClientError) -> OAuthSession? {
        guard let record = try await storedRecord() else { return nil }
        let plan = MCPPlan(
            record: record,
            authentication: try await authentication(of: record),
            document: record.client == .document ? identity.document : nil,
            context: ServerContext(issuer: record.issuer)
        )
        guard let session = try await client(for: plan).restoreSession() else { return nil }
        current = (session, record)
        return session
    }

    private func signIn(_ challenges: [Challenge]?) async throws(OAuthClientError) -> OAuthSession {
        guard let userAgent else {
            throw OAuthClientError(
                .sessionEnded,
                "the user must sign in for the MCP server, but there is no user agent"
            )
        }
        let earlier: MCPServerRecord?
        if let current { earlier = current.record } else { earlier = try await storedRecord() }
        let plan = try await planner.plan(challenges, after: earlier)
        do {
            return try await signIn(by: plan, userAgent)
        } catch {
            // The server forgot a client that had registered itself.
            guard plan.record.client == .registeredItself, error.answer?.error == .invalidClient else { throw error }
            try await planner.registrations.stored.forget(at: plan.record.issuer)
            return try await signIn(by: planner.plan(challenges, after: earlier), userAgent)
        }
    }

    private func signIn(by plan: MCPPlan, _ userAgent: any UserAgent) async throws(OAuthClientError) -> OAuthSession {
        var options = AuthorizationOptions()
        options.resources = [plan.record.resource]
        let client = try client(for: plan)
        let callback: AuthorizationCallback
        do throws(OAuthClientError) {
            callback = try await client.callback(scopes: plan.record.scopes, using: userAgent, options: options)
        } catch {
            if Self.isOfUser(error) { signIns.count(at: monotonicClock.elapsed()) }
            throw error
        }
        // Not before: an authorization server that is down for a while uses up no sign-in.
        signIns.count(at: monotonicClock.elapsed())
        // Once there is a response, the sign-in is finished even if all callers have gone: the record must name the tokens, and
        // the next call finds the session. It waits until this has ended.
        let finishing: Task<OAuthSession, any Error> = Task { try await finish(callback, client, plan) }
        do {
            return try await finishing.value
        } catch {
            throw OAuthClientError(error, otherwise: .userAgentFailed, "the sign-in failed")
        }
    }

    /// Whether the user was asked, and did not sign in.
    private static func isOfUser(_ error: OAuthClientError) -> Bool {
        [.cancelled, .timedOut, .userAgentFailed, .authorizationRejected].contains(error.code)
    }

    private func finish(
        _ callback: AuthorizationCallback,
        _ client: OAuth2Client,
        _ plan: MCPPlan
    ) async throws(OAuthClientError) -> OAuthSession {
        let session = try await client.resumeSignIn(callback)
        try await save(plan.record)
        current = (session, plan.record)
        isUntried = true
        return session
    }

    private func client(for plan: MCPPlan) throws(OAuthClientError) -> OAuth2Client {
        try makeClient(plan, plan.configuration(configuration, for: url))
    }

    private func authentication(of record: MCPServerRecord) async throws(OAuthClientError) -> ClientAuthentication {
        switch record.client {
        case .document: return .none
        case .registeredByHand: return identity.registered[record.issuer]?.authentication ?? .none
        case .registeredItself: return try await planner.registrations.stored.authentication(at: record.issuer)
        }
    }

    private func storedRecord() async throws(OAuthClientError) -> MCPServerRecord? {
        do {
            return try await store.record(MCPServerRecord.key(of: url)).flatMap { MCPServerRecord(stored: $0) }
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "what is known of the server cannot be read")
        }
    }

    private func save(_ record: MCPServerRecord) async throws(OAuthClientError) {
        do {
            try await store.save(record.json, for: MCPServerRecord.key(of: url))
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "what is known of the server cannot be stored")
        }
    }
}

extension MCPPlan {
    /// The settings of the client: one account for each server, and the kind of tokens that the server takes.
    ///
    /// - Throws: ``OAuthClientError/Code/proofAlgorithmRejected`` if the server accepts no type of key that the app uses.
    package func configuration(
        _ base: OAuth2ClientConfiguration,
        for server: MCPServerURL
    ) throws(OAuthClientError) -> OAuth2ClientConfiguration {
        var configuration = base
        configuration.account = "\(base.account) \(server.text)"
        // The token is for this server, and goes nowhere else.
        configuration.allowedOrigins = [server.origin]
        configuration.clientAuthentication = authentication
        configuration.clientMetadataDocument = document
        if record.isBound {
            let binding = base.tokenBoundConfiguration.binding ?? BoundedTokenConfiguration()
            configuration.tokenBoundConfiguration = try binding.accepted(proofAlgorithms)
        } else {
            configuration.tokenBoundConfiguration = UnboundedTokenConfiguration()
        }
        return configuration
    }
}
