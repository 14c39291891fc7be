// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthTransport
import PKCE
import StrictJSON
import Testing

@Suite("Trap 66: nothing secret is printed")
struct SecretsTests {
    private func texts(_ value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return "\(value) \(String(reflecting: value)) \(dumped)"
    }

    @Test func `the values of a sign-in print no code, token, state or verifier`() async throws {
        let fixture = try SignInFixture()
        let request = try await fixture.client.initiateAuthorization(scopes: ["a"])
        let response = try await fixture.client.parseAuthorizationResponse(fixture.server.approve(request))
        let tokens = try await fixture.client.exchangeAuthorizationCode(response)
        let printed = texts(request) + texts(response) + texts(response.transaction) + texts(tokens)
        let secrets = [
            request.state, request.url, response.code.value, response.transaction.codeVerifier.text,
            tokens.accessToken.value, try #require(tokens.refreshToken?.value),
        ]
        for secret in secrets { #expect(!printed.contains(secret)) }
    }

    #if os(Linux)
    @Test func `the password of a proxy is not printed`() {
        var configuration = CurlTransportConfiguration()
        configuration.proxy = "http://me:hunter2@proxy.example:3128"
        #expect(!texts(configuration).contains("hunter2"))
        #expect(!texts(CurlTransport(configuration)).contains("hunter2"))
    }

    @Test func `an id_token and what the server says of a person are not printed`() async throws {
        let fixture = try await OpenIDFixture()
        let tokens = try await fixture.tokens()
        let session = try await fixture.client.startSession(with: tokens)
        let printed = try await texts(tokens) + texts(#require(tokens.idToken)) + texts(session.userInfo())
        for secret in ["alice", "Alice", try #require(tokens.idToken?.rawValue), try #require(tokens.idToken?.nonce)] {
            #expect(!printed.contains(secret))
        }
    }

    @Test func `errors of an id_token repeat nothing of it`() async throws {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change { $0.claims = ["nonce": "a nonce of somebody else", "sub": "mallory"] }
        let error = try #require(await clientError { _ = try await fixture.tokens() })
        #expect(!texts(error).contains("somebody else"))
        #expect(!texts(error).contains("mallory"))
    }
    #endif

    @Test func `errors repeat nothing that was received`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let tokens = try await session.tokenManager.fetch()
        let refresh = try #require(tokens.refreshToken?.value)
        let echo = HTTPResponse.json(400, ["error": "invalid_grant", "error_description": .string("bad: \(refresh)")])
        await fixture.server.change { $0.instead["/token"] = [echo] }
        let refused = await clientError { try await session.tokenManager.refresh() }
        #expect(!"\(try #require(refused))".contains(refresh))
        let malformed = HTTPResponse.json(200, ["access_token": "secret value", "token_type": "DPoP"])
        let second = try SignInFixture()
        await second.server.change { $0.instead["/token"] = [malformed] }
        let error = await clientError { _ = try await second.session() }
        #expect(error?.code == .malformedResponse)
        #expect(!texts(try #require(error)).contains("secret value"))
    }
}
