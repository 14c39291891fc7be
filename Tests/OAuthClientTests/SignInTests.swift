// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("A whole sign-in")
struct SignInTests {
    @Test func `signs in, calls the API and violates nothing`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        #expect(try await fixture.get(session) == ("hello", 200))
        #expect(await fixture.server.violations == [])
        #expect(await fixture.server.proofs.count == 3)
    }

    @Test func `signs in at a server that demands nonces everywhere`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change {
            $0.tokenNonces = .alwaysNew
            $0.apiNonces = .alwaysNew
        }
        let session = try await fixture.session()
        #expect(try await fixture.get(session) == ("hello", 200))
        #expect(try await fixture.get(session) == ("hello", 200))
        #expect(await fixture.server.violations == [])
        // Two PAR requests, then the nonce is known: the code is sent only once (trap 40).
        #expect(await fixture.server.requests(to: "/par").count == 2)
        #expect(await fixture.server.requests(to: "/token").count == 1)
        #expect(await fixture.server.requests(to: "/api/items").count == 3)
    }

    @Test func `the tokens are stored and a session can be restored`() async throws {
        let fixture = try SignInFixture()
        #expect(try await fixture.client.restoreSession() == nil)
        _ = try await fixture.session()
        let session = try #require(try await fixture.client.restoreSession())
        #expect(try await fixture.get(session).status == 200)
    }

    @Test func `an error of the user agent is wrapped, a cancellation is one`() async throws {
        struct Broken: UserAgent {
            let error: any Error

            func authorize(
                redirectURI: String,
                _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
            ) async throws -> AuthorizationCallback {
                throw error
            }
        }
        struct Odd: Error {}
        let fixture = try SignInFixture()
        let odd = await clientError { _ = try await fixture.client.signIn(scopes: [], using: Broken(error: Odd())) }
        #expect(odd?.code == .userAgentFailed)
        #expect(odd?.underlying is Odd)
        let cancelled = await clientError {
            _ = try await fixture.client.signIn(scopes: [], using: Broken(error: CancellationError()))
        }
        #expect(cancelled?.code == .cancelled)
    }

    @Test func `the example of the design compiles`() {
        _ = { (api: URL) in
            let session = try await OAuth2Client(
                issuer: "https://auth.example.com",
                clientID: "my-app",
                redirectURI: "com.example.app:/callback"
            )
            .signIn(scopes: ["openid", "api:read"], using: .systemBrowser)
            let (data, response) = try await session.data(for: URLRequest(url: api))
            _ = (data, response)
        }
    }
}
