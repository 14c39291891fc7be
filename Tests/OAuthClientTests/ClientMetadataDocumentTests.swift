// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@Suite("draft-ietf-oauth-client-id-metadata-document: a client identifier that is the URL of a document")
struct ClientMetadataDocumentTests {
    private static let url = "https://app.example/oauth/client.json"

    private static func metadata(_ change: (inout ClientMetadata) -> Void = { _ in }) -> ClientMetadata {
        var metadata = ClientMetadata()
        metadata.clientName = "App"
        metadata.redirectURIs = ["com.example.app:/callback", "http://127.0.0.1/callback"]
        change(&metadata)
        return metadata
    }

    private func code(
        _ url: String = url,
        _ change: (inout ClientMetadata) -> Void = { _ in }
    ) -> OAuthClientError.Code? {
        do {
            _ = try ClientMetadataDocument(clientID: url, metadata: Self.metadata(change))
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `the document names its URL, and says that the client has no secret`() throws {
        let document = try ClientMetadataDocument(clientID: Self.url, metadata: Self.metadata())
        #expect(document.json["client_id"] == .string(Self.url))
        #expect(document.json["token_endpoint_auth_method"] == "none")
        #expect(document.json["dpop_bound_access_tokens"] == true)
        #expect(try ClientMetadataDocument(parsing: document.json, servedAt: Self.url) == document)
    }

    @Test(arguments: [
        "https://app.example/", "https://app.example:8443/c", "https://app.example/a..b/.c",
        "https://app.example/c?v=1",
        "https://app.example/%2F",
    ])
    func `section 3: these URLs are client identifiers`(_ url: String) {
        #expect(code(url) == nil)
    }

    @Test(arguments: [
        "", "my-app", "http://app.example/c", "HTTPS://app.example/c", "https://app.example", "https:///c",
        "https://app.example/c#f", "https://app.example/c#", "https://user@app.example/c",
        "https://user:pw@app.example/c",
        "https://app.example/./c", "https://app.example/a/../c", "https://app.example/..",
        "https://app.example/%2e%2E/c",
        "https://app.example/.%2e/c", "https://app.example/a b", "urn:example:c",
    ])
    func `section 3: these are not`(_ url: String) {
        #expect(code(url) == .invalidArgument)
    }

    @Test(arguments: ["client_secret_basic", "client_secret_post", "client_secret_jwt"])
    func `a method with a shared secret is rejected`(_ method: String) {
        #expect(code { $0.tokenEndpointAuthMethod = ClientAuthenticationMethod(rawValue: method) } == .invalidArgument)
    }

    @Test(arguments: ["client_secret", "client_secret_expires_at", "client_id"])
    func `a member that has no business there is rejected`(_ name: String) {
        #expect(code { $0.otherMembers[name] = "x" } == .invalidArgument)
    }

    @Test func `a client with a key publishes it, or says where it is`() throws {
        let key = try TestKey.p256(9).publicKey
        #expect(code { $0.tokenEndpointAuthMethod = .privateKeyJWT } == .invalidArgument)
        #expect(code { ($0.tokenEndpointAuthMethod, $0.jwks) = (.privateKeyJWT, JWKSet([])) } == .invalidArgument)
        #expect(code { ($0.tokenEndpointAuthMethod, $0.jwks) = (.privateKeyJWT, JWKSet([key])) } == nil)
        let uri = try URI(parsing: "https://app.example/jwks")
        #expect(code { ($0.tokenEndpointAuthMethod, $0.jwksURI) = (.privateKeyJWT, uri) } == nil)
        #expect(code { ($0.jwks, $0.jwksURI) = (JWKSet([key]), uri) } == .invalidArgument)
        let insecure = try URI(parsing: "http://app.example/jwks")
        #expect(code { $0.jwksURI = insecure } == .invalidArgument)
    }

    @Test(arguments: [
        [], ["/callback"], ["https://app.example/cb#f"], ["http://app.example/cb"], ["http://localhost/cb"],
    ])
    func `redirect URIs are there, absolute, and safe`(_ uris: [String]) {
        #expect(code { $0.redirectURIs = uris } == .invalidArgument)
        if uris.isEmpty {
            #expect(code { ($0.redirectURIs, $0.grantTypes) = (nil, ["client_credentials"]) } == nil)
        }
    }

    @Test func `a document of more than 5 KiB is rejected, as servers are advised to`() {
        #expect(code { $0.clientName = String(repeating: "x", count: 4800) } == nil)
        #expect(code { $0.clientName = String(repeating: "x", count: 5120) } == .invalidArgument)
    }

    @Test func `a document at another URL, without a method, or with a private key is rejected`() throws {
        let good = try ClientMetadataDocument(clientID: Self.url, metadata: Self.metadata()).json
        for url in [
            Self.url + "/", "https://app.example/oauth/Client.json", "https://app.example:443/oauth/client.json",
        ] {
            #expect(throws: OAuthClientError.self) { try ClientMetadataDocument(parsing: good, servedAt: url) }
        }
        for (name, value) in [
            ("client_id", JSONValue?.none), ("token_endpoint_auth_method", .none), ("client_secret", "s"),
            ("redirect_uris", "https://app.example/cb"),
            ("jwks", ["keys": [["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "d": "AA"]]]),
            ("jwks", ["keys": [["kty": "oct", "k": "AA"]]]),
        ] {
            var object = good
            object[name] = value
            #expect(throws: OAuthClientError.self, "\(name)") {
                try ClientMetadataDocument(parsing: object, servedAt: Self.url)
            }
        }
    }

    // MARK: A client with a document

    private func client(
        _ server: FakeServer,
        clientID: String = url,
        redirectURI: String? = "com.example.app:/callback",
        _ configure: (inout OAuth2ClientConfiguration) -> Void = { _ in }
    ) throws -> OAuth2Client {
        var configuration = OAuth2ClientConfiguration()
        configuration.clientMetadataDocument = try ClientMetadataDocument(clientID: Self.url, metadata: Self.metadata())
        configure(&configuration)
        return try OAuth2Client(
            issuer: FakeServer.issuer,
            clientID: clientID,
            redirectURI: redirectURI,
            configuration: configuration,
            transport: server,
            entropy: SeededEntropy()
        )
    }

    @Test func `signs in where the server says that it reads documents, and nowhere else`() async throws {
        let server = FakeServer()
        let client = try client(server)
        let error = await clientError { _ = try await client.initiateAuthorization(scopes: []) }
        #expect(error?.code == .unsupportedByServer)
        #expect(await server.requests(to: "/par").isEmpty)
        await server.change { $0.metadata["client_id_metadata_document_supported"] = true }
        try await client.fetchAuthorizationServerMetadata()
        let request = try await client.initiateAuthorization(scopes: [])
        #expect(try await server.authorizationParameters(request.url).value(for: "client_id") == Self.url)
    }

    @Test func `a URL that was registered by hand needs no document`() async throws {
        let server = FakeServer()
        let client = try client(server) { $0.clientMetadataDocument = nil }
        _ = try await client.initiateAuthorization(scopes: [])
    }

    @Test func `a client that is not what its document says cannot be made`() throws {
        let server = FakeServer()
        let key = try TestKey.p256(9)
        #expect(throws: OAuthClientError.self) { try client(server, clientID: "https://app.example/other") }
        #expect(throws: OAuthClientError.self) { try client(server, redirectURI: "com.example.app:/other") }
        #expect(throws: OAuthClientError.self) { try client(server, redirectURI: "http://127.0.0.1/other") }
        #expect(throws: OAuthClientError.self) {
            try client(server) { $0.clientAuthentication = .privateKeyJWT(key) }
        }
        _ = try client(server, redirectURI: "http://127.0.0.1:8123/callback")
        _ = try client(server, redirectURI: nil)
    }
}
