// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthTesting
import Testing

@Suite struct GuardedAPITests {
    @Test func `scopes, methods and paths are looked at`() async throws {
        let app = try await SignedInApp()
        let session = try await app.signIn()
        #expect(try await SignedInApp.call(session) == 200)
        #expect(try await SignedInApp.call(session, method: "DELETE") == 403)
        #expect(try await SignedInApp.call(session, method: "PUT") == 404)
        #expect(try await SignedInApp.call(session, "https://api.example/other") == 404)
        #expect(throws: OAuthTestingError.self) { try app.api.route("GET", "/", needing: ["a\"b"], json: "") }
    }

    @Test func `a request without a token gets the challenge`() async throws {
        let app = try await SignedInApp()
        let response = try await app.server.send(HTTPRequest(target: "https://api.example/notes"), maximumBodySize: 100)
        #expect(response.status == 401 && response.fields["WWW-Authenticate"]?.hasPrefix("DPoP") == true)
        #expect(app.api.acceptedRequests == 0 && app.api.rejectedRequests == 1)
    }

    @Test func `a proof is good once, and a stolen token without its key is not`() async throws {
        let app = try await SignedInApp()
        #expect(try await SignedInApp.call(app.signIn()) == 200)
        let last = try #require(app.recording.exchanges.last)
        var request = last.requestWithSecretsInClear
        #expect(last.status == 200)
        #expect(try await app.server.send(request, maximumBodySize: 100).status == 401)
        request.fields["DPoP"] = nil
        #expect(try await app.server.send(request, maximumBodySize: 100).status == 401)
    }

    @Test func `a second API has its own address and nonces`() async throws {
        let app = try await SignedInApp()
        let other = try FakeResourceServer(for: app.server, address: "https://other.example")
        try other.route("GET", "/", json: "1")
        let session = try await app.signIn()
        #expect(try await SignedInApp.call(session, "https://other.example/") == 200)
        #expect(try await SignedInApp.call(session) == 200)
        #expect(other.acceptedRequests == 1 && other.rejectedRequests == 1 && app.api.acceptedRequests == 1)
    }

    @Test func `a response that is too large is rejected, and HEAD has no body`() async throws {
        let server = try await FakeAuthorizationServer()
        var request = HTTPRequest(target: "https://auth.example/jwks")
        await #expect(throws: OAuthCoreError.self) { try await server.send(request, maximumBodySize: 10) }
        request.method = "HEAD"
        let response = try await server.send(request, maximumBodySize: 0)
        #expect(response.status == 200 && response.body.isEmpty)
    }

    @Test func `an app that is started again finds its session`() async throws {
        let server = try await FakeAuthorizationServer()
        let api = try FakeResourceServer(for: server)
        try api.route("GET", "/notes", json: "[]")
        let (keys, tokens) = (DeterministicKeyStore(DeterministicEntropy(seed: 7)), MemoryTokenStore())
        let first = try await server.makeClient(keyStore: keys, tokenStore: tokens)
        _ = try await first.signIn(scopes: ["api:read"], using: server.userAgent)
        let second = try await server.makeClient(keyStore: keys, tokenStore: tokens)
        let session = try #require(try await second.restoreSession())
        #expect(try await SignedInApp.call(session) == 200)
        await session.signOut()
        #expect(try await second.restoreSession() == nil)
    }
}
