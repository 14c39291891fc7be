// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import SigningKeys
import StrictJSON
import TestSupport

/// A client on URLSession and its server on a socket.
struct GrantFixture {
    static let clientID = "my client:ü+1"

    let server: GrantServer
    let clock = FixedClock()
    let sleeper = SleepingClock()
    let transport: DatedTransport
    let client: OAuth2Client

    init(
        _ authentication: ClientAuthentication,
        transport: DatedTransport = DatedTransport(),
        _ configure: (inout OAuth2ClientConfiguration) -> Void = { _ in }
    ) throws {
        server = try GrantServer()
        self.transport = transport
        var configuration = OAuth2ClientConfiguration.allowingInsecureHTTPOnLoopback
        configuration.clientAuthentication = authentication
        configure(&configuration)
        client = try OAuth2Client(
            issuer: server.issuer,
            clientID: Self.clientID,
            redirectURI: "com.example.app:/callback",
            configuration: configuration,
            transport: transport,
            clock: clock,
            entropy: SeededEntropy()
        )
    }

    /// A client that signs assertions.
    static func withPrivateKey(
        _ configure: (inout OAuth2ClientConfiguration) -> Void = { _ in }
    ) throws -> GrantFixture {
        try GrantFixture(.privateKeyJWT(TestKey.p256(9), keyID: "k9"), configure)
    }
}

/// The grants without a browser.
enum BrowserlessGrant: String, CaseIterable, Sendable {
    case clientCredentials = "client_credentials"
    case device = "urn:ietf:params:oauth:grant-type:device_code"
    case exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    case assertion = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    /// Requests tokens.
    func run(
        _ fixture: GrantFixture,
        scopes: [String] = ["a", "b"],
        resources: [String] = [],
        authorizationDetails: [AuthorizationDetail] = []
    ) async throws -> TokenSet? {
        let client = fixture.client
        switch self {
        case .clientCredentials:
            return try await client.requestClientCredentialsTokens(
                scopes: scopes,
                resources: resources,
                authorizationDetails: authorizationDetails
            )
        case .assertion:
            return try await client.exchangeJWTAssertion(
                "e.30.x",
                scopes: scopes,
                resources: resources,
                authorizationDetails: authorizationDetails
            )
        case .exchange:
            fixture.server.change {
                $0.tokenMembers["issued_token_type"] = .string(TokenTypeIdentifier.accessToken.rawValue)
            }
            return try await client.exchangeToken(
                SecurityToken("subject", type: .jwt),
                scopes: scopes,
                resources: resources,
                authorizationDetails: authorizationDetails
            ).tokens
        case .device:
            let authorization = try await client.startDeviceAuthorization(
                scopes: scopes,
                resources: resources,
                authorizationDetails: authorizationDetails
            )
            return try await client.completeDeviceAuthorization(authorization, sleepingOn: fixture.sleeper)
        }
    }

    func error(_ fixture: GrantFixture) async -> OAuthClientError? {
        await clientError { _ = try await run(fixture) }
    }
}
#endif
