// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthClient
import OAuthCore
import TestSupport

/// A client on URLSession and a server that signs responses and accepts signed requests.
struct SigningFixture {
    static let clientID = "my-app"

    let clock = FixedClock()
    let serverClock = FixedClock()
    let server: SigningServer
    let transport = DatedTransport()
    let client: OAuth2Client

    init(
        redirectURI: String = "com.example.app:/callback",
        _ configure: (inout OAuth2ClientConfiguration) -> Void = { _ in }
    ) throws {
        server = try SigningServer(clock: serverClock)
        var configuration = OAuth2ClientConfiguration.allowingInsecureHTTPOnLoopback
        configure(&configuration)
        client = try OAuth2Client(
            issuer: server.issuer,
            clientID: Self.clientID,
            redirectURI: redirectURI,
            configuration: configuration,
            transport: transport,
            clock: clock,
            entropy: SeededEntropy()
        )
    }

    /// A client that signs its requests.
    static func signingRequests(
        redirectURI: String = "com.example.app:/callback",
        _ configure: (inout OAuth2ClientConfiguration) -> Void = { _ in }
    ) throws -> SigningFixture {
        let key = try SigningServerConduct.clientKey()
        return try SigningFixture(redirectURI: redirectURI) {
            $0.requestObjectSigning = .always(with: key, keyID: "k9")
            configure(&$0)
        }
    }

    func start(_ mode: ResponseMode, scopes: [String] = ["a"]) async throws -> AuthorizationRequest {
        try await client.initiateAuthorization(
            scopes: scopes,
            options: AuthorizationOptions(responseMode: mode)
        )
    }

    /// Runs a sign-in in the browser up to the response.
    func answer(_ mode: ResponseMode) async throws -> AuthorizationResponse {
        let request = try await start(mode)
        return try await client.parseAuthorizationResponse(server.browse(request))
    }

    /// The error of a response that the server makes by its rules.
    func refusal(_ mode: ResponseMode) async -> OAuthClientError? {
        await clientError { _ = try await answer(mode) }
    }
}
#endif
