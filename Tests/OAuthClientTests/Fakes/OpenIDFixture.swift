// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import TestSupport
import Testing

/// A client on URLSession and its OpenID provider on a socket.
struct OpenIDFixture {
    let provider: OpenIDProvider
    let clock: FixedClock
    let tokenStore = MemoryTokenStore()
    let client: OAuth2Client

    init(
        transport: DatedTransport = DatedTransport(),
        _ configure: (inout OAuth2ClientConfiguration) -> Void = { _ in }
    ) async throws {
        clock = FixedClock()
        provider = try await OpenIDProvider(clock: clock)
        var configuration = OAuth2ClientConfiguration.allowingInsecureHTTPOnLoopback
        configure(&configuration)
        client = try OAuth2Client(
            issuer: provider.base,
            clientID: "my-app",
            redirectURI: "com.example.app:/callback",
            configuration: configuration,
            tokenStore: tokenStore,
            transport: transport,
            clock: clock,
            monotonicClock: FixedElapsedTime(),
            entropy: SeededEntropy(),
            sleepingOn: SleepingClock()
        )
    }

    /// The parameters of the authorization request; without pushed requests they are in the URL.
    func parameters(
        _ options: AuthorizationOptions = AuthorizationOptions(),
        scopes: [String] = ["openid"]
    ) async throws -> FormParameters {
        let request = try await client.initiateAuthorization(scopes: scopes, options: options)
        return try FormParameters(decoding: #require(try URI(parsing: request.url).query))
    }

    func tokens(
        _ options: AuthorizationOptions = AuthorizationOptions(),
        scopes: [String] = ["openid"],
        taking duration: Duration = .zero
    ) async throws -> TokenSet {
        let request = try await client.initiateAuthorization(scopes: scopes, options: options)
        clock.advance(by: duration)
        let response = try await client.parseAuthorizationResponse(provider.approve(request))
        return try await client.exchangeAuthorizationCode(response)
    }

    func session(_ options: AuthorizationOptions = AuthorizationOptions()) async throws -> OAuthSession {
        try await client.startSession(with: tokens(options))
    }

    /// Why the id_token of a sign-in is rejected; `nil` if it is accepted.
    func refusal(
        _ options: AuthorizationOptions = AuthorizationOptions(),
        taking duration: Duration = .zero
    ) async -> String? {
        let error = await clientError { _ = try await tokens(options, taking: duration) }
        guard let error else { return nil }
        return error.code == .idTokenRejected ? error.reason : "\(error)"
    }
}
#endif
