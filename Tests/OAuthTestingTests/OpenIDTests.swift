// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import OAuthTesting
import Testing

@Suite struct OpenIDTests {
    @Test func `with the scope openid an app learns who signed in, and a refresh keeps it`() async throws {
        let server = try await FakeAuthorizationServer(scopes: ["openid", "profile", "api:read"])
        let client = try await server.makeClient()
        let session = try await client.signIn(scopes: ["openid", "profile"], using: server.userAgent)
        let idToken = try #require(await session.idToken)
        #expect(idToken.audience == ["my-app"])
        let user = try await session.userInfo()
        #expect(user.subject == idToken.subject)
        #expect(user.preferredUsername == "ada")
        server.clock.advance(by: .seconds(300))
        #expect(try await session.userInfo().subject == idToken.subject)
        let renewed = try #require(try await session.tokenManager.fetch().idToken)
        #expect(renewed.rawValue != idToken.rawValue)
        #expect(renewed.subject == idToken.subject)
        #expect(await session.idToken?.rawValue == renewed.rawValue)
        await session.signOut()
        #expect(await session.idToken == nil)
    }

    @Test func `with the scope profile a list of accounts shows the names of users`() async throws {
        let server = try await FakeAuthorizationServer(scopes: ["openid", "profile"])
        // Registers the app.
        _ = try await server.makeClient(clientID: "my-app", redirectURI: "com.example.app:/callback")
        let manager = try AccountManager(
            issuer: server.issuer,
            clientID: "my-app",
            redirectURI: "com.example.app:/callback",
            storage: .memory,
            transport: server,
            clock: server.clock,
            entropy: server.entropy
        )
        _ = try await manager.signIn(scopes: ["openid", "profile"], using: server.userAgent)
        #expect(try await manager.accounts().map(\.displayName) == ["ada"])
    }
}
