// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import ResourceServer
import StrictJSON
import Testing

@Suite("RFC 9728: what an API tells about itself")
struct ResourceMetadataTests {
    private static let wellKnown = "/.well-known/oauth-protected-resource"

    private func api(_ address: String = GuardedAPI.address) throws -> GuardedAPI {
        let uri = try URI(parsing: address)
        let scopes = try Scope(["api:read", "api:write"])
        return try GuardedAPI {
            $0.address = uri
            $0.metadata = PublishedMetadata(scopes: scopes, name: "Notes")
        }
    }

    private func object(_ response: HTTPResponse) throws -> JSONObject {
        try #require(try JSONValue(parsing: response.body).objectValue)
    }

    /// Which API the document at a target is about.
    private func resource(_ target: String, of api: GuardedAPI) throws -> String? {
        guard let response = api.requestGuard.metadataResponse(to: HTTPRequest(target: target)) else { return nil }
        #expect(response.status == 200)
        return try ProtectedResourceMetadata(parsing: object(response)).resource
    }

    /// Where the challenge for a request leads.
    private func challenge(_ request: HTTPRequest, of api: GuardedAPI) async throws -> [String?] {
        let response = await api.send(request)
        return try Challenge.parse(response.fields.values(for: "WWW-Authenticate"))
            .map { $0.value(for: "resource_metadata") }
    }

    @Test func `section 2: the document has all that a client needs`() throws {
        let response = try #require(api().requestGuard.metadataResponse(to: HTTPRequest(target: Self.wellKnown)))
        #expect(response.fields["Content-Type"] == "application/json")
        #expect(response.fields["Access-Control-Allow-Origin"] == "*")
        let expected: JSONObject = [
            "resource": "https://api.example.com", "resource_name": "Notes",
            "dpop_bound_access_tokens_required": true, "authorization_servers": ["https://auth.example.com"],
            "scopes_supported": ["api:read", "api:write"],
            "dpop_signing_alg_values_supported": ["ES256", "Ed25519", "EdDSA"],
        ]
        #expect(try object(response) == expected)
        #expect(try api().requestGuard.metadata?.json == expected)
    }

    @Test func `section 2: bound tokens are not always required if a route takes others`() throws {
        var published = PublishedMetadata(name: "Notes")
        for (some, all) in [(true, false), (false, true)] {
            published.hasRoutesForUnboundTokens = some
            let metadata = published
            let api = try GuardedAPI {
                $0.metadata = metadata
                $0.acceptsTokensThatAreBoundToNothing = all
            }
            #expect(api.requestGuard.metadata?.dpopBoundAccessTokensRequired == false)
        }
    }

    @Test(arguments: [
        ("https://api.example.com", "", "https://api.example.com"),
        ("https://api.example.com", "/notes", "https://api.example.com/notes"),
        ("https://api.example.com", "/notes/?a=b&c=%20", "https://api.example.com/notes/?a=b&c=%20"),
        ("https://example.com:8443/api", "/api", "https://example.com:8443/api"),
        ("https://example.com:8443/api", "/api/notes", "https://example.com:8443/api/notes"),
    ])
    func `section 3 1: each URL of the API has its document`(
        _ address: String,
        _ path: String,
        _ resource: String
    ) throws {
        #expect(try self.resource(Self.wellKnown + path, of: api(address)) == resource)
    }

    @Test(arguments: [
        "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/",
        "/.well-known/oauth-protected-resource/ap", "/.well-known/oauth-protected-resource/apis",
        "/.well-known/oauth-protected-resource/api?a", "/.well-known/oauth-protected-resource/api/../other",
        "/.well-known/oauth-protected-resource/api/%2e%2E/other", "/.well-known/oauth-protected-resource/api/%41",
        "/.well-known/oauth-protected-resource/api/%2f", "/.well-known/oauth-protected-resource/api/\"",
        "/.well-known/oauth-protected-resource/api/#a", "/api/.well-known/oauth-protected-resource", "/api", "*", "",
        "/.well-known/oauth-protected-resource/api/" + String(repeating: "a", count: 2048),
    ])
    func `what is not below the address, or not written in one way, has none`(_ target: String) throws {
        #expect(try resource(target, of: api("https://example.com/api")) == nil)
    }

    @Test func `section 5 1: every challenge leads to the document of its URL`() async throws {
        let api = try api()
        let lead = GuardedAPI.address + Self.wellKnown
        for (target, address) in [("/notes", lead + "/notes"), ("/notes?a=b", lead + "/notes?a=b"), ("/", lead)] {
            #expect(try await challenge(HTTPRequest(target: target), of: api) == [address])
            let bearer = HTTPRequest(
                target: target,
                fields: ["Authorization": "Bearer " + (try await api.accessToken())]
            )
            #expect(try await challenge(bearer, of: api) == [address, address])
        }
        // What the client finds there is about the URL that it asked for.
        #expect(try resource(Self.wellKnown + "/notes?a=b", of: api) == GuardedAPI.address + "/notes?a=b")
    }

    @Test func `a challenge that asks for more scope, or for another request, leads nowhere`() async throws {
        let api = try api()
        let two = HTTPRequest(target: "/notes?access_token=x", fields: ["Authorization": "DPoP x"])
        #expect(await api.send(two).status == 400)
        #expect(try await challenge(two, of: api).allSatisfy { $0 == nil })
    }

    @Test(arguments: ["/a/../b", "/%41", "/" + String(repeating: "a", count: 2048), "/\"", "*"])
    func `a target that is not written in one way is not repeated in a challenge`(_ target: String) async throws {
        #expect(try await challenge(HTTPRequest(target: target), of: api()) == [nil])
    }

    @Test func `other methods are rejected`() throws {
        let api = try api()
        for (method, status) in [("GET", 200), ("HEAD", 200), ("POST", 405), ("PUT", 405)] {
            let request = HTTPRequest(method: method, target: Self.wellKnown)
            #expect(api.requestGuard.metadataResponse(to: request)?.status == status)
        }
    }

    @Test func `unless asked to, a guard tells nothing`() async throws {
        let api = try GuardedAPI()
        #expect(api.requestGuard.metadata == nil)
        #expect(try resource(Self.wellKnown, of: api) == nil)
        #expect(try await challenge(HTTPRequest(target: "/notes"), of: api) == [nil])
    }
}
