// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
public import OAuthSystem
public import OAuthTransport
public import SigningKeys

/// A client of one authorization server: signs a user in with PKCE and gets tokens that are bound to a key with DPoP.
///
/// ``signIn(scopes:using:options:)`` does everything in one call. Each step can be taken by hand:
/// ``initiateAuthorization(scopes:redirectURI:options:)``, the browser,
/// ``parseAuthorizationResponse(_:)-(String)``, ``exchangeAuthorizationCode(_:)``, ``startSession(with:)``.
///
/// A client is cheap to copy; copies share key, nonces, metadata and stores.
public struct OAuth2Client: Sendable {
    /// The issuer identifier, as it was given.
    public let issuer: String
    /// The client identifier.
    public let clientID: String
    /// The redirect URI, as it is registered; `nil` for a client that signs nobody in with a browser.
    public let redirectURI: String?
    /// What the client was told.
    public let configuration: OAuth2ClientConfiguration
    /// Whose tokens and key the client uses.
    public let account: ClientAccount

    let issuerURI: URI
    let parsedRedirectURI: URI?
    let transport: any ClientTransport
    let tokenStore: any TokenStore
    let transactionStore: any TransactionStore
    let clock: any WallClock
    let monotonicClock: any MonotonicClock
    let entropy: any Entropy
    let server: AuthorizationServerConnection
    let resourceClocks: ResourceClocks
    let keyring: AccountKeys
    let metadata = MetadataCache()
    let serverKeys = ServerKeys()
    let events: EventBroadcaster<SessionEvent>
    let troubles: KeyFailureReporter

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the authorization server: an https URL without query and fragment.
    ///   - clientID: The identifier that the client is registered with.
    ///   - redirectURI: The redirect URI that the client is registered with; `http://127.0.0.1/callback` for a port of the
    ///     loopback address that is chosen at each sign-in (RFC 8252 section 7.3). A client that only uses grants without a
    ///     browser, such as ``requestClientCredentialsTokens(scopes:resources:authorizationDetails:additionalParameters:)``,
    ///     has none.
    ///   - configuration: What the client may be told.
    ///   - keyStore: Where the key is that tokens are bound to; one key for each account.
    ///   - tokenStore: Where tokens are kept.
    ///   - transactionStore: Where sign-ins wait for their answers.
    ///   - transport: How requests are sent.
    ///   - clock: What time it is.
    ///   - monotonicClock: How time passes: what decides, while the process runs, whether a token has expired.
    ///   - entropy: Where `state`, verifier and `jti` come from.
    /// - Throws: ``OAuthClientError/Code/invalidArgument``, ``OAuthClientError/Code/insecureURL``, and
    ///   ``OAuthClientError/Code/profileContradicted`` for a setting against the profile of the configuration.
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
        entropy: any Entropy = SystemEntropy()
    ) throws(OAuthClientError) {
        guard !clientID.isEmpty else { throw OAuthClientError(.invalidArgument, "the client identifier is empty") }
        let policy = URLPolicy(allowsInsecureHTTPOnLoopback: configuration.allowsInsecureHTTPOnLoopback)
        issuerURI = try policy.issuer(issuer)
        parsedRedirectURI = try Self.parseRedirectURI(redirectURI)
        let profiled = ProfiledClient(configuration: configuration, issuer: issuer, redirectURI: parsedRedirectURI)
        try Self.requireProfile(of: profiled)
        try configuration.clientMetadataDocument?
            .requireDescription(of: clientID, parsedRedirectURI, configuration.clientAuthentication.method)
        self.issuer = issuer
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.configuration = configuration
        self.tokenStore = tokenStore
        self.transactionStore = transactionStore
        self.transport = transport
        self.clock = clock
        self.monotonicClock = monotonicClock
        self.entropy = entropy
        account = ClientAccount(issuer: issuer, clientID: clientID, name: configuration.account)
        events = EventBroadcaster<SessionEvent>()
        troubles = KeyFailureReporter(events)
        let adjustedClock = ServerAdjustedClock(clock)
        let authenticator = ClientAuthenticator(
            clientID: clientID,
            audience: configuration.clientAssertionAudience ?? issuer,
            authentication: configuration.clientAuthentication,
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

    private static func parseRedirectURI(_ text: String?) throws(OAuthClientError) -> URI? {
        guard let text else { return nil }
        // RFC 6749 section 3.1.2: absolute, without a fragment.
        guard let uri = try? URI(parsing: text), uri.fragment == nil else {
            throw OAuthClientError(.invalidArgument, "the redirect URI is not an absolute URI without a fragment")
        }
        return uri
    }

    /// What happens to the account from now on: sign-ins that give up binding, refreshes, the end of the session, a key that
    /// is lost, locked or could not be made.
    ///
    /// - Returns: A stream that ends with the last copy of the client. Who does not read keeps the newest 64 events.
    public func sessionEvents() -> AsyncStream<SessionEvent> {
        events.stream()
    }

    var urlPolicy: URLPolicy {
        URLPolicy(allowsInsecureHTTPOnLoopback: configuration.allowsInsecureHTTPOnLoopback)
    }
}
