// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
public import OAuthSystem
public import OAuthTransport
public import SigningKeys

/// A client of one authorization server: signs a user in with PKCE and gets tokens that are bound to a key with DPoP.
///
/// ``signIn(scopes:using:options:)`` does everything in one call. An app can also call each step itself:
/// ``initiateAuthorization(scopes:redirectURI:options:)``, the browser, ``parseAuthorizationResponse(_:)-(String)``,
/// ``exchangeAuthorizationCode(_:)``, ``startSession(with:)``.
///
/// A client is cheap to copy; copies share key, nonces, metadata and stores.
public struct OAuth2Client: Sendable, CustomStringConvertible, CustomReflectable {
    /// The issuer identifier, as passed to the initializer.
    public let issuer: String
    /// The client identifier.
    public let clientID: String
    /// The registered redirect URI; `nil` for a client that signs in no user with a browser.
    public let redirectURI: String?
    /// The settings, as passed to the initializer.
    public let configuration: OAuth2ClientConfiguration
    /// The account that owns the client's tokens and key.
    public let account: ClientAccount

    let issuerURI: URI
    let parsedRedirectURI: URI?
    let allowedOrigins: AllowedOrigins
    let transport: any ClientTransport
    let tokenStore: any TokenStore
    let transactionStore: any TransactionStore
    let clock: any WallClock
    let monotonicClock: any MonotonicClock
    let entropy: any Entropy
    let server: AuthorizationServerConnection
    let resourceClocks: ResourceClocks
    let keyring: AccountKeys
    let context: ServerContext
    let sleeper: any Clock<Duration>
    let requestObserver: RequestObserver?
    let retryBudget = RetryBudget()
    let events: EventBroadcaster<SessionEvent>
    let troubles: KeyFailureReporter

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the authorization server: an https URL without query and fragment.
    ///   - clientID: The identifier that the client is registered with.
    ///   - redirectURI: The redirect URI that the client is registered with; `http://127.0.0.1/callback` to use a
    ///     loopback port that is chosen at each sign-in (RFC 8252 section 7.3). Pass `nil` for a client that only uses
    ///     grants without a browser, such as
    ///     ``requestClientCredentialsTokens(scopes:resources:authorizationDetails:additionalParameters:)``.
    ///   - configuration: The settings of the client.
    ///   - keyStore: The store of the keys that tokens are bound to; one key for each account.
    ///   - tokenStore: The store of the tokens.
    ///   - transactionStore: The store of sign-ins that wait for their response.
    ///   - transport: How requests are sent.
    ///   - clock: The wall clock.
    ///   - monotonicClock: The clock that decides, while the process runs, whether a token has expired.
    ///   - entropy: The source of `state`, verifier and `jti`.
    ///   - sleeper: The clock that the client waits on before it repeats a request; it must be monotonic.
    ///   - context: What clients of the same server share; by default the client has its own.
    /// - Throws: ``OAuthClientError/Code/invalidArgument``, ``OAuthClientError/Code/insecureURL``, and
    ///   ``OAuthClientError/Code/profileContradicted`` for a setting that violates the profile of the configuration.
    public init(
        issuer: String,
        clientID: String,
        redirectURI: String? = nil,
        configuration: OAuth2ClientConfiguration = OAuth2ClientConfiguration(),
        keyStore: any KeyStore = MemoryKeyStore(),
        tokenStore: any TokenStore = MemoryTokenStore(),
        transactionStore: any TransactionStore = MemoryTransactionStore(),
        transport: any ClientTransport = PlatformTransport(),
        clock: any WallClock = SystemWallClock(),
        monotonicClock: any MonotonicClock = SystemMonotonicClock(),
        entropy: any Entropy = SystemEntropy(),
        sleepingOn sleeper: any Clock<Duration> = ContinuousClock(),
        sharing context: ServerContext? = nil
    ) throws(OAuthClientError) {
        guard !clientID.isEmpty else { throw OAuthClientError(.invalidArgument, "the client identifier is empty") }
        let policy = URLPolicy(allowsInsecureHTTPOnLoopback: configuration.allowsInsecureHTTPOnLoopback)
        issuerURI = try policy.issuer(issuer)
        parsedRedirectURI = try Self.parseRedirectURI(redirectURI)
        let profiled = ProfiledClient(configuration: configuration, issuer: issuer, redirectURI: parsedRedirectURI)
        try Self.requireProfile(of: profiled)
        allowedOrigins = try AllowedOrigins(configuration.allowedOrigins, policy)
        try configuration.clientMetadataDocument?
            .requireDescription(of: clientID, parsedRedirectURI, configuration.clientAuthentication.method)
        (self.issuer, self.clientID, self.redirectURI) = (issuer, clientID, redirectURI)
        (self.configuration, self.tokenStore, self.transactionStore) = (configuration, tokenStore, transactionStore)
        let requestObserver = configuration.observer.map { RequestObserver(clock: monotonicClock, observer: $0) }
        let transport = requestObserver.map { ObservedTransport(base: transport, observer: $0) } ?? transport
        (self.requestObserver, self.transport) = (requestObserver, transport)
        (self.clock, self.monotonicClock, self.entropy, self.sleeper) = (clock, monotonicClock, entropy, sleeper)
        account = ClientAccount(issuer: issuer, clientID: clientID, name: configuration.account)
        events = Self.broadcaster(configuration)
        troubles = KeyFailureReporter(events)
        let context = try Self.requireContext(context, of: issuer)
        self.context = context
        let adjustedClock = ServerAdjustedClock(clock, context.correction)
        let authenticator = ClientAuthenticator(
            clientID: clientID,
            audience: configuration.clientAssertionAudience ?? issuer,
            authentication: configuration.clientAuthentication,
            attestations: try Self.attestations(configuration, clientID, clock),
            clock: adjustedClock,
            entropy: entropy
        )
        server = AuthorizationServerConnection(
            transport: transport,
            clock: adjustedClock,
            authenticator: authenticator,
            troubles: troubles
        )
        resourceClocks = ResourceClocks(adjustedClock)
        keyring = AccountKeys(
            keyStore: keyStore,
            account: account,
            binding: configuration.tokenBoundConfiguration.binding,
            clock: adjustedClock,
            entropy: entropy,
            troubles: troubles
        )
    }

    private static func broadcaster(_ configuration: OAuth2ClientConfiguration) -> EventBroadcaster<SessionEvent> {
        guard let observer = configuration.observer else { return EventBroadcaster() }
        return EventBroadcaster { observer(.session($0)) }
    }

    /// The context that the client shares, or one of its own.
    private static func requireContext(
        _ shared: ServerContext?,
        of issuer: String
    ) throws(OAuthClientError) -> ServerContext {
        guard let shared else { return ServerContext(issuer: issuer) }
        guard shared.issuer.isIdentical(to: issuer) else {
            throw OAuthClientError(.invalidArgument, "the shared context is that of another server")
        }
        return shared
    }

    /// What keeps the attestations of a client that authenticates with them.
    private static func attestations(
        _ configuration: OAuth2ClientConfiguration,
        _ clientID: String,
        _ clock: any WallClock
    ) throws(OAuthClientError) -> AttestationCache? {
        guard case .attestation(let attester) = configuration.clientAuthentication.credential else { return nil }
        guard configuration.tokenBoundConfiguration.binding != nil else {
            throw OAuthClientError(
                .invalidArgument,
                "an attested client has tokens that are bound to its key: use a BoundedTokenConfiguration"
            )
        }
        return AttestationCache(attester, clientID: clientID, clock: clock)
    }

    private static func parseRedirectURI(_ text: String?) throws(OAuthClientError) -> URI? {
        guard let text else { return nil }
        // RFC 6749 section 3.1.2: absolute, without a fragment.
        guard let uri = try? URI(parsing: text), uri.fragment == nil else {
            throw OAuthClientError(.invalidArgument, "the redirect URI is not an absolute URI without a fragment")
        }
        return uri
    }

    /// Reports events of the account: sign-ins that give up binding, refreshes, the end of the session, a key that is
    /// lost, locked or could not be made.
    ///
    /// - Returns: A stream of the events from now on. It ends with the last copy of the client. While the caller does
    ///   not read, the stream keeps the newest 64 events.
    public func sessionEvents() -> AsyncStream<SessionEvent> {
        events.stream()
    }

    var urlPolicy: URLPolicy {
        URLPolicy(allowsInsecureHTTPOnLoopback: configuration.allowsInsecureHTTPOnLoopback)
    }

    /// Issuer and identifier: not the stores and what is in them.
    public var description: String { "OAuth2Client(\(clientID) at \(issuer))" }
    /// The same, with the account.
    public var customMirror: Mirror {
        Mirror(self, children: ["issuer": issuer, "clientID": clientID, "account": account])
    }
}
