// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Clients with a metadata document: draft-ietf-oauth-client-id-metadata-document-02")
struct ClientDocumentTests {
    static let url = "https://notes.example/oauth/client.json"
    static let redirectURI = "https://notes.example/callback"

    let documents = FakeDocuments()

    static var document: JSONObject {
        [
            "client_id": .string(url), "client_name": "Notes", "redirect_uris": [.string(redirectURI)],
            "token_endpoint_auth_method": "none", "scope": "api:read files:unknown",
            "grant_types": ["authorization_code", "refresh_token", "urn:example:other"], "response_types": ["code"],
        ]
    }

    func server(
        _ policy: ClientDocumentPolicy = .everybody,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> ServerUnderTest {
        let scope = try Scope(parsing: "api:read")
        return try await ServerUnderTest.inMemory(outgoing: documents) { configuration in
            configuration.unregisteredClients.documents = policy
            configuration.unregisteredClients.scope = scope
            change(&configuration)
        }
    }

    func client(_ server: ServerUnderTest, redirectURI: String = redirectURI) throws -> FakeClient {
        FakeClient(server, clientID: Self.url, redirectURI: redirectURI, key: try TestKey.p256(2))
    }

    @Test func `case 44: a client signs somebody in with nothing but its URL, and the page names its host`()
        async throws
    {
        documents.publish(Self.url, Self.document)
        let server = try await server()
        let client = try client(server)
        let browser = try await server.signedInBrowser()
        let page = try await browser.get(client.pushedTarget(client.attempt()))
        #expect(page.text.contains("This app comes from <strong><bdi>notes.example</bdi></strong>"))
        #expect(page.text.contains("Nobody at <bdi>Keybound</bdi> has checked it"))
        #expect(page.text.contains("After that you go to <strong><bdi>notes.example</bdi></strong>"))
        #expect(!page.text.contains("Any app on this device"))
        #expect(!page.text.contains("Do not ask me again"))
        let tokens = try await client.signIn()
        #expect(tokens.json["scope"] == "api:read")
        #expect(try await client.refresh(tokens.string("refresh_token")).status == 200)
        // One request was enough for all of that.
        #expect(documents.requests.map(\.target) == [Self.url])
        #expect(documents.requests.first?.fields["Accept"] == "application/json")
        #expect(documents.requests.first?.fields["Authorization"] == nil)
        let stored = try #require(try await server.storage.client(Self.url))
        #expect(stored.origin == .document)
        #expect(stored.scope.description == "api:read" && stored.isPublic)
        #expect(stored.grantTypes == [.authorizationCode, .refreshToken])
    }

    @Test func `the metadata say whether documents are read`() async throws {
        for (policy, isOn) in [(ClientDocumentPolicy.everybody, true), (.hosts(["a.example"]), true), (.off, false)] {
            let response = try await server(policy).get("/.well-known/oauth-authorization-server")
            #expect(response.json["client_id_metadata_document_supported"]?.boolValue ?? false == isOn)
        }
    }

    @Test func `an app on the device is named as such, and may have localhost`() async throws {
        var document = Self.document
        document["redirect_uris"] = ["http://localhost/cb", .string(Self.redirectURI)]
        documents.publish(Self.url, document)
        let server = try await server()
        let client = try client(server, redirectURI: "http://localhost:49152/cb")
        let browser = try await server.signedInBrowser()
        let page = await browser.get(client.directTarget(client.attempt()))
        #expect(page.text.contains("Any app on this device can claim to be this one"))
        #expect(page.text.contains("<strong><bdi>notes.example</bdi></strong>"))
    }

    @Test func `what a document leaves open, or what names nothing to fetch, does not matter`() async throws {
        var document = Self.document
        for name in RegisteredMetadataTests.optional + ["client_secret"] { document[name] = .null }
        document["initiate_login_uri"] = "https://notes.example/login"
        document["request_uris"] = []
        documents.publish(Self.url, document)
        let server = try await server()
        let client = try client(server)
        let push = try await client.push(client.attempt())
        #expect(push.status == 201, "\(push.text)")
    }

    @Test func `case 46: a document is read again when its time is over, and an old code keeps its redirect URI`()
        async throws
    {
        documents.publish(
            Self.url,
            Self.document,
            fields: ["Content-Type": "application/json; charset=utf-8", "Cache-Control": "max-age=600", "Age": "100"]
        )
        let server = try await server()
        let client = try client(server)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        var document = Self.document
        document["redirect_uris"] = ["https://notes.example/new"]
        document["client_name"] = "Other Notes"
        documents.publish(Self.url, document)
        server.clock.advance(by: .seconds(30))
        #expect(try await client.redeem(code, attempt).status == 200)
        server.clock.advance(by: .seconds(469))
        let early = try await client.push(client.attempt())
        #expect(early.status == 201)
        server.clock.advance(by: .seconds(1))
        let late = try await client.push(client.attempt())
        #expect(late.json["error"] == "invalid_request", "\(late.text)")
        #expect(documents.requests.count == 2)
        let newer = try self.client(server, redirectURI: "https://notes.example/new")
        let push = try await newer.push(newer.attempt())
        #expect(push.status == 201)
        #expect(try await server.storage.client(Self.url)?.name == "Other Notes")
    }

    @Test(arguments: [
        ("max-age=1", 60), ("no-store", 60), ("no-cache, max-age=5000", 60), ("max-age=9999999999", 86_400),
        ("public", 3600), ("max-age=nonsense", 3600), ("max-age=7200", 7200),
    ])
    func `headers decide how long a document holds, within bounds`(field: String, seconds: Int64) async throws {
        documents.publish(
            Self.url,
            Self.document,
            fields: ["Content-Type": "application/json", "Cache-Control": field]
        )
        let server = try await server()
        let client = try client(server)
        #expect(try await client.push(client.attempt()).status == 201)
        let stored = try await server.storage.client(Self.url)
        #expect(stored?.documentExpiresAt == server.clock.now() + .seconds(seconds))
    }

    @Test func `a document that was fetched while the clock was ahead is fetched again when it is set back`()
        async throws
    {
        documents.publish(Self.url, Self.document)
        let server = try await server()
        let client = try client(server)
        #expect(try await client.push(client.attempt()).status == 201)
        server.clock.advance(by: .seconds(-30 * 86_400))
        _ = try await client.push(client.attempt())
        #expect(documents.requests.count == 2)
        let stored = try await server.storage.client(Self.url)
        #expect(stored?.documentExpiresAt == server.clock.now() + .seconds(3600))
    }

    @Test func `a session goes on while the client's web server is down, and a sign-in does not begin`() async throws {
        documents.publish(Self.url, Self.document)
        let server = try await server()
        let client = try client(server)
        let tokens = try await client.signIn()
        documents.answer(Self.url, .failure)
        server.clock.advance(by: .seconds(7200))
        #expect(try await client.refresh(tokens.string("refresh_token")).status == 200)
        let count = documents.requests.count
        server.clock.advance(by: .seconds(11))
        let push = try await client.push(client.attempt())
        #expect(push.json["error"] == "invalid_client")
        #expect(documents.requests.count == count + 1)
    }

    @Test(arguments: [404, 410])
    func `a client whose document is gone gets no tokens any more`(_ status: Int) async throws {
        documents.publish(Self.url, Self.document)
        let server = try await server()
        let client = try client(server)
        let tokens = try await client.signIn()
        documents.answer(Self.url, .response(HTTPResponse(status: status)))
        server.clock.advance(by: .seconds(4000))
        let refused = try await client.refresh(tokens.string("refresh_token"))
        #expect(refused.json["error"] == "invalid_client", "\(refused.status)")
        // It was a mistake: nothing is lost.
        documents.publish(Self.url, Self.document)
        server.clock.advance(by: .seconds(60))
        #expect(try await client.refresh(tokens.string("refresh_token")).status == 200)
    }

    @Test func `a client is forgotten when it is not used, and kept while it is`() async throws {
        documents.publish(Self.url, Self.document)
        let server = try await server()
        let client = try client(server)
        #expect(try await client.push(client.attempt()).status == 201)
        let day = Duration.seconds(86_400)
        #expect(try await server.storage.client(Self.url)?.expiresAt == server.clock.now() + day)
        let tokens = try await client.signIn()
        #expect(try await server.storage.client(Self.url)?.expiresAt == server.clock.now() + day * 90)
        server.clock.advance(by: day * 20)
        #expect(try await client.refresh(tokens.string("refresh_token")).status == 200)
        #expect(try await server.storage.client(Self.url)?.expiresAt == server.clock.now() + day * 90)
        server.clock.advance(by: day * 90)
        _ = try await server.storage.deleteExpired(at: server.clock.now(), limit: 100)
        #expect(try await server.storage.client(Self.url) == nil)
        #expect(try await server.storage.client("app") != nil)
    }

    @Test func `a URL that an operator registered by hand is not fetched`() async throws {
        let server = try await server(.hosts(["other.example"]))
        _ = try await server.storage.add(
            ServerUnderTest.client(Self.url, redirectURIs: [Self.redirectURI])
        )
        let client = try client(server)
        #expect(try await client.push(client.attempt()).status == 201)
        #expect(documents.requests.isEmpty)
    }

    @Test func `a client with a key in its document proves that it has it`() async throws {
        let key = try TestKey.p256(3)
        var document = Self.document
        document["token_endpoint_auth_method"] = "private_key_jwt"
        document["jwks"] = .object(JWKSet([key.publicKey]).json)
        documents.publish(Self.url, document)
        let server = try await server()
        let client = try client(server)
        let unproven = try await client.push(client.attempt())
        #expect(unproven.json["error"] == "invalid_client")
        let stored = try await server.storage.client(Self.url)
        #expect(stored?.tokenEndpointAuthMethod == .privateKeyJWT)
        #expect(stored?.jwks.keys.count == 1)
    }

    @Test func `a configuration that contradicts itself is rejected`() async throws {
        await #expect(throws: AuthorizationServerError.self) {
            try await server { $0.unregisteredClients.lifetime = .seconds(86_400) }
        }
        await #expect(throws: AuthorizationServerError.self) { try await server(.hosts([])) }
        await #expect(throws: AuthorizationServerError.self) { try await server(.hosts(["Notes.example"])) }
        await #expect(throws: AuthorizationServerError.self) { try await server(.hosts(["notes.example/path"])) }
        // Only a server that is on a loopback address itself.
        await #expect(throws: AuthorizationServerError.self) {
            try await server { $0.unregisteredClients.allowsInsecureLoopbackDocuments = true }
        }
        await #expect(throws: AuthorizationServerError.self) {
            try await ServerUnderTest.inMemory { $0.unregisteredClients.documents = .everybody }
        }
    }
}
