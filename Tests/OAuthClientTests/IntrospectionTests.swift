// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 7662 and RFC 9701: introspection")
struct IntrospectionTests {
    private static let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
    private static let active: JSONObject = [
        "active": true, "scope": "a b", "client_id": "my-app", "username": "alice", "token_type": "DPoP", "sub": "1",
        "aud": ["x"], "exp": 1_790_000_300, "iat": 1_790_000_000, "cnf": ["jkt": .string(thumbprint)],
    ]

    private func error(
        _ answer: JSONObject,
        header: JSONObject? = nil,
        signed: Bool = false
    ) async throws -> OAuthClientError.Code? {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change {
            $0.introspection = answer
            $0.introspectionHeader = header
        }
        return await clientError { _ = try await fixture.client.introspect(AccessToken("t"), signed: signed) }?.code
    }

    @Test func `what the server says is typed`() async throws {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change { $0.introspection = Self.active }
        let answer = try await fixture.client.introspect(AccessToken("the token"))
        #expect(answer.isActive)
        #expect(answer.scope == (try Scope(["a", "b"])))
        #expect(answer.tokenType == .dpop)
        #expect(answer.clientID == "my-app")
        #expect(answer.username == "alice")
        #expect(answer.keyThumbprint?.description == Self.thumbprint)
        #expect(answer.claims.subject == "1")
        #expect(answer.claims.audience == ["x"])
        #expect(answer.claims.expiresAt?.secondsSince1970 == 1_790_000_300)
        let form = try #require(try await fixture.provider.forms(at: "/introspect").first)
        #expect(form == ["token": "the token", "token_type_hint": "access_token", "client_id": "my-app"])
    }

    @Test func `a token that is not known is not active`() async throws {
        let fixture = try await OpenIDFixture()
        let answer = try await fixture.client.introspect(RefreshToken("r"))
        #expect(!answer.isActive)
        #expect(answer.keyThumbprint == nil)
        let form = try #require(try await fixture.provider.forms(at: "/introspect").first)
        #expect(try form.value(for: "token_type_hint") == "refresh_token")
    }

    @Test func `the client shows who it is`() async throws {
        let fixture = try await OpenIDFixture { $0.clientAuthentication = .clientSecretBasic(ClientSecret("s")) }
        _ = try await fixture.client.introspect(AccessToken("t"))
        let request = try #require(await fixture.provider.requests.last)
        #expect(request.fields["Authorization"] == "Basic bXktYXBwOnM=")
        #expect(request.fields["Accept"] == "application/json")
        await fixture.provider.change {
            $0.metadata = ["introspection_endpoint_auth_methods_supported": ["private_key_jwt"]]
        }
        try await fixture.client.fetchAuthorizationServerMetadata()
        let error = await clientError { _ = try await fixture.client.introspect(AccessToken("t")) }
        #expect(error?.code == .unsupportedByServer)
    }

    @Test(
        arguments: [
            [:], ["active": "true"], ["active": true, "cnf": "x"], ["active": true, "cnf": ["jkt": "short"]],
            ["active": true, "scope": ["a"]], ["active": true, "exp": "soon"],
        ] as [JSONObject]
    )
    func `an answer of another form is rejected`(_ answer: JSONObject) async throws {
        #expect(try await error(answer) == .malformedResponse)
    }

    @Test func `RFC 9701: a signed answer is verified, and is one`() async throws {
        let fixture = try await OpenIDFixture()
        let base = fixture.provider.base
        let whole: JSONObject = [
            "iss": .string(base), "aud": "my-app", "iat": 1_790_000_000, "token_introspection": .object(Self.active),
        ]
        await fixture.provider.change {
            $0.introspection = whole
            $0.introspectionHeader = ["typ": "token-introspection+jwt"]
        }
        #expect(try await fixture.client.introspect(AccessToken("t"), signed: true).username == "alice")
        #expect(await fixture.provider.requests.last?.path == "/jwks")
        for (name, value) in [
            ("iss", "https://evil.example" as JSONValue), ("iss", .null), ("aud", "other"), ("aud", .null),
            ("iat", .null),
            ("token_introspection", .null),
        ] {
            await fixture.provider.change { $0.introspection = whole.merging([name: value]) }
            let error = await clientError { _ = try await fixture.client.introspect(AccessToken("t"), signed: true) }
            #expect(error?.code == .malformedResponse)
        }
        for header: JSONObject in [[:], ["typ": "JWT"]] {
            await fixture.provider.change {
                $0.introspection = whole
                $0.introspectionHeader = header
            }
            let error = await clientError { _ = try await fixture.client.introspect(AccessToken("t"), signed: true) }
            #expect(error?.code == .malformedResponse)
        }
        #expect(try await error(Self.active, signed: true) == .malformedResponse)
    }
}
#endif
