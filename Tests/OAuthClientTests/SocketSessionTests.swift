// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@Suite("Sessions and clients of all kinds, over a real socket", .timeLimit(.minutes(1)))
struct SocketSessionTests {
    private func first(_ count: Int, of events: AsyncStream<SessionEvent>) async -> [SessionEvent] {
        var seen: [SessionEvent] = []
        for await event in events.prefix(count) { seen.append(event) }
        return seen
    }

    // MARK: Events

    @Test func `a refresh, one that finds the server busy, and the end are told`() async throws {
        let fixture = try SignInFixture(route: .socket)
        let session = try await fixture.session()
        let events = session.events()
        try await session.tokenManager.refresh()
        await fixture.server.change { $0.instead["/token"] = [HTTPResponse(status: 503)] }
        _ = await clientError { try await session.tokenManager.refresh() }
        await session.signOut()
        #expect(await first(3, of: events) == [.refreshed, .refreshFailed, .signedOut])
        #expect(await fixture.server.revoked.count == 1)
    }

    @Test func `what another client of the same stores did is told`() async throws {
        let fixture = try SignInFixture(route: .socket)
        let session = try await fixture.session()
        let other = try SignInFixture(
            tokenStore: fixture.tokenStore,
            keyStore: fixture.keyStore,
            server: fixture.server,
            route: .socket
        )
        let second = try #require(try await other.client.restoreSession())
        let events = second.events()
        try await session.tokenManager.refresh()
        try await second.tokenManager.refresh()
        #expect(await fixture.server.refreshes == 1)
        await session.signOut()
        _ = await clientError { try await second.tokenManager.refresh() }
        #expect(await first(2, of: events) == [.adopted, .signedOut])
    }

    @Test func `a refusal by the server, and tokens that are bound no more, are told`() async throws {
        let fixture = try SignInFixture(route: .socket) { $0.tokenBoundConfiguration = .acceptingBearerTokens }
        let session = try await fixture.session()
        let events = session.events()
        await fixture.server.change { $0.tokenType = "Bearer" }
        try await session.tokenManager.refresh()
        await fixture.server.change { $0.instead["/token"] = [.error(400, "invalid_grant")] }
        _ = await clientError { try await session.tokenManager.refresh() }
        #expect(await first(3, of: events) == [.refreshed, .bindingDowngraded, .expired])
    }

    @Test func `a lost key is told`() async throws {
        let fixture = try SignInFixture(route: .socket)
        _ = try await fixture.session()
        let restarted = try SignInFixture(tokenStore: fixture.tokenStore, server: fixture.server, route: .socket)
        let session = try #require(try await restarted.client.restoreSession(checkingKey: false))
        let events = session.events()
        #expect(await clientError { _ = try await restarted.get(session) }?.code == .keyMissing)
        #expect(await first(1, of: events) == [.keyLost])
    }

    // MARK: Resources

    @Test func `a limited session calls with a token for its resource, and gets a new one when that is rejected`()
        async throws
    {
        let fixture = try SignInFixture(route: .socket)
        let session = try await fixture.session()
        let limited = session.limited(to: [FakeServer.api])
        #expect(try await fixture.get(limited).body == "hello")
        await fixture.server.forgetAccessTokens()
        #expect(try await fixture.get(limited).body == "hello")
        let resources = try await fixture.server.requests(to: "/token").map {
            try FormParameters(decoding: $0.body).values(for: "resource")
        }
        #expect(resources == [[], [FakeServer.api], [FakeServer.api]])
        let sent = await fixture.server.requests(to: "/api/items").map { $0.fields["Authorization"] ?? "" }
        #expect(Set(sent).count == 2)
        let own = try await session.tokenManager.fetch()
        #expect(!sent.contains { $0.contains(own.accessToken.value) })
        #expect(await fixture.server.violations == [])
    }

    // MARK: Clients

    @Test func `a client whose identifier is the URL of its document signs in where documents are read`() async throws {
        let url = "https://app.example/oauth/client.json"
        var metadata = ClientMetadata()
        metadata.redirectURIs = ["com.example.app:/callback"]
        let document = try ClientMetadataDocument(clientID: url, metadata: metadata)
        let fixture = try SignInFixture(clientID: url, route: .socket) { $0.clientMetadataDocument = document }
        let error = await clientError { _ = try await fixture.session() }
        #expect(error?.code == .unsupportedByServer)
        #expect(await fixture.server.requests.allSatisfy { $0.method == "GET" })
        await fixture.server.change {
            $0.metadata["client_id_metadata_document_supported"] = true
            $0.clientID = url
        }
        try await fixture.client.fetchAuthorizationServerMetadata()
        #expect(try await fixture.get(fixture.session()).body == "hello")
        for path in ["/par", "/token"] {
            let request = try #require(await fixture.server.requests(to: path).first)
            #expect(try FormParameters(decoding: request.body).value(for: "client_id") == url)
        }
    }

    @Test func `fapi2 refuses a server that does not take its way to authenticate, and asks nothing but the metadata`()
        async throws
    {
        let fixture = try SignInFixture(route: .socket) {
            $0 = .fapi2
            $0.clientAuthentication = .privateKeyJWT(try TestKey.p256(9))
        }
        await fixture.server.change {
            $0.metadata = [
                "code_challenge_methods_supported": ["S256"], "dpop_signing_alg_values_supported": ["ES256"],
                "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            ]
        }
        let error = await clientError { _ = try await fixture.session() }
        #expect(error?.code == .serverBelowProfile)
        #expect((error?.underlying as? ProfileViolation)?.requirement == .serverAuthenticatesClients)
        #expect(await fixture.server.requests.allSatisfy { $0.method == "GET" })
    }
}
#endif
