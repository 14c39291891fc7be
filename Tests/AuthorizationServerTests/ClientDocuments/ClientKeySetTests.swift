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

@Suite("Key sets of clients with a metadata document: RFC 7523 section 3, RFC 7591 section 2")
struct ClientKeySetTests {
    private static let url = ClientDocumentTests.url
    private static let keysURL = SigningDocumentClient.keysURL
    private let base = ClientDocumentTests()
    private var documents: FakeDocuments { base.documents }

    private var fetches: Int { documents.requests.count(where: { $0.target == Self.keysURL }) }

    /// A client whose document and whose set, with one key, are published.
    private func client(
        _ fields: HTTPFields = ["Content-Type": "application/jwk-set+json"],
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> SigningDocumentClient {
        documents.publish(Self.url, SigningDocumentClient.document())
        documents.publish(Self.keysURL, try SigningDocumentClient.keySet(11), fields: fields)
        return try SigningDocumentClient(try await base.server(.everybody, change))
    }

    @Test func `a client is authenticated by a key of its set, which is fetched once`() async throws {
        let client = try await client()
        let (key, name) = try SigningDocumentClient.key(11)
        let tokens = try await client.signIn(key, name)
        #expect(tokens.status == 200, "\(tokens.text)")
        let refresh = client.client.refreshing(try tokens.string("refresh_token"))
        #expect(try await client.post("/token", refresh, signedBy: key, name).status == 200)
        #expect(documents.requests.map(\.target) == [Self.url, Self.keysURL])
        #expect(documents.requests.last?.fields["Accept"] == "application/json")
        #expect(documents.requests.last?.fields["Authorization"] == nil)
        let stored = try #require(try await client.server.storage.client(Self.url))
        #expect(stored.jwksURI == Self.keysURL && stored.jwks.keys.isEmpty)
        // Another key, and no assertion at all.
        expect(try await client.push(12), isError: "invalid_client")
        expect(try await client.client.push(client.client.attempt()), isError: "invalid_client")
    }

    @Test func `a client without a kid in its assertion is authenticated too`() async throws {
        let client = try await client()
        let (key, _) = try SigningDocumentClient.key(11)
        #expect(try await client.signIn(key, nil).status == 200)
    }

    /// As ChatGPT publishes and signs it.
    @Test func `a client that signs by RS256 for the token endpoint is let in by two settings`() async throws {
        let key = try TestKey.rsa(.rs256)
        documents.publish(
            Self.url,
            SigningDocumentClient.document {
                $0["token_endpoint_auth_signing_alg"] = "RS256"
                $0["token_endpoint_auth_methods_supported"] = ["none", "private_key_jwt"]
                $0["scope"] = nil
            }
        )
        documents.publish(Self.keysURL, JWKSet([key.publicKey.named("rsa", algorithm: .rs256)]).json)
        let audience = { (claims: inout JSONObject) in claims["aud"] = .string(ServerUnderTest.issuer + "/token") }

        let lenient = try SigningDocumentClient(
            try await base.server {
                $0.clientAssertionAlgorithms.insert(.rs256)
                $0.assertionAudience = .issuerOrEndpoint
            }
        )
        let tokens = try await lenient.signIn(key, "rsa", audience)
        #expect(tokens.status == 200, "\(tokens.text)")
        // The document names the algorithm, so that no other key counts.
        expect(try await lenient.push(11), isError: "invalid_client")
        try await expectAlgorithm("RS256", isListed: true, by: lenient.server)

        let strict = try SigningDocumentClient(try await base.server { $0.clientAssertionAlgorithms.insert(.rs256) })
        let parameters = strict.client.attempt().parameters
        expect(try await strict.post("/par", parameters, signedBy: key, "rsa", audience), isError: "invalid_client")
        #expect(try await strict.post("/par", parameters, signedBy: key, "rsa").status == 201)

        let standard = try SigningDocumentClient(try await base.server())
        let refused = try await standard.post("/par", standard.client.attempt().parameters, signedBy: key, "rsa")
        expect(refused, isError: "invalid_client")
        #expect(refused.text.contains("token_endpoint_auth_signing_alg is none of this server's"))
        try await expectAlgorithm("RS256", isListed: false, by: standard.server)
    }

    @Test func `a key that says its algorithm is used with no other`() async throws {
        let key = try TestKey.rsa(.ps256)
        let client = try await client()
        for (algorithm, status) in [(SignatureAlgorithm.ps256, 201), (.rs256, 400)] {
            documents.publish(Self.keysURL, JWKSet([key.publicKey.named("rsa", algorithm: algorithm)]).json)
            let response = try await client.post("/par", client.client.attempt().parameters, signedBy: key, "rsa")
            #expect(response.status == status, "\(response.text)")
            client.server.clock.advance(by: .seconds(3600))
        }
    }

    private func expectAlgorithm(
        _ name: String,
        isListed: Bool,
        by server: ServerUnderTest,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let metadata = await server.get("/.well-known/oauth-authorization-server").json
        let names = metadata["token_endpoint_auth_signing_alg_values_supported"]?.arrayValue
        let values = try #require(names, sourceLocation: sourceLocation)
        #expect(values.contains { $0.stringValue == name } == isListed, sourceLocation: sourceLocation)
    }

    @Test func `a client that authenticates by nothing makes the server fetch no keys`() async throws {
        documents.publish(
            Self.url,
            SigningDocumentClient.document {
                $0["token_endpoint_auth_method"] = "none"
                // Of the method that it has for other servers.
                $0["token_endpoint_auth_signing_alg"] = "RS256"
            }
        )
        let server = try await base.server()
        let tokens = try await base.client(server).signIn()
        #expect(tokens.status == 200)
        #expect(documents.requests.map(\.target) == [Self.url])
        let stored = try #require(try await server.storage.client(Self.url))
        #expect(stored.isPublic && stored.jwksURI == nil && stored.tokenEndpointAuthSigningAlgorithm == nil)
        // Not even for an assertion.
        expect(try await SigningDocumentClient(server).push(11), isError: "invalid_client")
        #expect(fetches == 0)
    }

    @Test func `an assertion that no key can make valid makes the server fetch no keys`() async throws {
        let client = try await client()
        let parameters = client.client.attempt().parameters
        let key = try TestKey.rsa(.rs256)
        expect(try await client.post("/par", parameters, signedBy: key, "key-11"), isError: "invalid_client")
        let text = parameters.adding("client_assertion", "a.b.c").adding(
            "client_assertion_type",
            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        )
        expect(try await client.client.post("/par", text), isError: "invalid_client")
        #expect(fetches == 0)
    }

    @Test func `an unknown kid makes the server fetch the set again, once in ten seconds`() async throws {
        let client = try await client()
        #expect(try await client.push(11).status == 201)
        expect(try await client.push(12), isError: "invalid_client")
        #expect(fetches == 1)
        client.server.clock.advance(by: .seconds(10))
        for _ in 0..<3 { expect(try await client.push(12), isError: "invalid_client") }
        #expect(fetches == 2)
        #expect(try await client.push(11).status == 201)
        #expect(fetches == 2)
        client.server.clock.advance(by: .seconds(10))
        expect(try await client.push(12), isError: "invalid_client")
        #expect(fetches == 3)
    }

    @Test func `a new key counts at once, and a withdrawn one no more`() async throws {
        let client = try await client()
        #expect(try await client.push(11).status == 201)
        documents.publish(Self.keysURL, try SigningDocumentClient.keySet(11, 12))
        client.server.clock.advance(by: .seconds(10))
        #expect(try await client.push(12).status == 201)
        #expect(try await client.push(11).status == 201)
        documents.publish(Self.keysURL, try SigningDocumentClient.keySet(12))
        client.server.clock.advance(by: .seconds(3600))
        expect(try await client.push(11), isError: "invalid_client")
        #expect(try await client.push(12).status == 201)
        #expect(fetches == 3)
    }

    @Test(arguments: [("max-age=120", 120), ("no-store", 60), ("public", 3600)] as [(String, Int64)])
    func `headers decide how long a set holds, as for a document`(field: String, seconds: Int64) async throws {
        let client = try await client(["Content-Type": "application/json", "Cache-Control": field])
        #expect(try await client.push(11).status == 201)
        client.server.clock.advance(by: .seconds(seconds - 1))
        #expect(try await client.push(11).status == 201)
        #expect(fetches == 1)
        client.server.clock.advance(by: .seconds(1))
        #expect(try await client.push(11).status == 201)
        #expect(fetches == 2)
    }

    @Test func `a document that moves the set counts as soon as it is read again`() async throws {
        let client = try await client(["Content-Type": "application/json", "Cache-Control": "max-age=86400"])
        #expect(try await client.push(11).status == 201)
        let place = "https://notes.example/new/keys.json"
        documents.publish(Self.url, SigningDocumentClient.document { $0["jwks_uri"] = .string(place) })
        documents.publish(place, try SigningDocumentClient.keySet(12))
        client.server.clock.advance(by: .seconds(3600))
        expect(try await client.push(11), isError: "invalid_client")
        #expect(try await client.push(12).status == 201)
        #expect(documents.requests.map(\.target) == [Self.url, Self.keysURL, Self.url, place])
    }
}
