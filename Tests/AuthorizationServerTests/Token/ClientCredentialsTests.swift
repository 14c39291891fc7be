// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Tokens that clients get for themselves, RFC 6749 section 4.4")
struct ClientCredentialsTests {
    @Test func `the token is bound, is about the client, and comes alone`() async throws {
        let server = try await ConfidentialClient.server()
        let client = try ConfidentialClient(server, "basic")
        let response = try await client.tokens(["scope": "api:read"], fields: client.basic)
        #expect(response.status == 200)
        #expect(response.json["token_type"] == "DPoP")
        #expect(response.json["scope"] == "api:read")
        #expect(response.json["refresh_token"] == nil && response.json["id_token"] == nil)
        let claims = try CompactJWS(parsing: response.string("access_token")).payloadObject()
        #expect(claims["sub"] == "basic" && claims["client_id"] == "basic")
        #expect(claims["auth_time"] == nil)
        #expect(claims["cnf"] == ["jkt": .string(try FakeClient(server).thumbprint)])
    }

    @Test func `without a proof there is none, or a bearer token where that is allowed`() async throws {
        let strict = try await ConfidentialClient.server()
        let client = try ConfidentialClient(strict, "basic")
        let parameters: FormParameters = ["grant_type": "client_credentials"]
        expect(await strict.post("/token", parameters, fields: client.basic), isError: "invalid_dpop_proof")
        let lax = try await ServerUnderTest.inMemory(
            clients: [
                try ConfidentialClient.registration("basic", .clientSecretBasic) { $0.dpopBoundAccessTokens = false }
            ]
        ) { $0.requireDPoP = false }
        let response = await lax.post("/token", parameters, fields: client.basic)
        #expect(response.json["token_type"] == "Bearer")
    }

    @Test func `attack 61, grant_not_allowed_for_client`() async throws {
        let server = try await ServerUnderTest.inMemory(
            clients: [
                try ConfidentialClient.registration("basic", .clientSecretBasic) {
                    $0.grantTypes = [.authorizationCode]
                },
                try ConfidentialClient.registration("post", .clientSecretPost) { $0.grantTypes = [.clientCredentials] },
                // A registration that no administration lets through.
                try ConfidentialClient.registration("public", .none) { $0.secretHashes = [] },
            ]
        )
        let (basic, post) = (try ConfidentialClient(server, "basic"), try ConfidentialClient(server, "post"))
        expect(try await basic.tokens(fields: basic.basic), isError: "unauthorized_client")
        expect(try await basic.tokens(["client_id": "public"]), isError: "unauthorized_client")
        expect(try await basic.tokens(["client_id": "app"]), isError: "unauthorized_client")
        for type in ["authorization_code", "refresh_token"] {
            let parameters = post.posted.adding("grant_type", type).adding("code", "x").adding("refresh_token", "x")
            expect(await server.post("/token", parameters), isError: "unauthorized_client")
        }
        let attempt = FakeClient(server, clientID: "post", key: nil).attempt()
        let pushed = attempt.parameters.adding("client_secret", post.secret)
        expect(await server.post("/par", pushed), isError: "unauthorized_client")
    }

    @Test func `attack 61, a client that is not registered for refresh tokens gets none`() async throws {
        let server = try await ServerUnderTest.inMemory(
            clients: [
                try ServerUnderTest.client("once", redirectURIs: ["https://app.example.com/callback"])
                    .with { $0.grantTypes = [.authorizationCode] }
            ]
        )
        let response = try await FakeClient(server, clientID: "once", key: try TestKey.p256(2)).signIn()
        #expect(response.status == 200 && response.json["refresh_token"] == nil)
    }

    @Test func `the scope is what the client is registered for, and nothing about people`() async throws {
        let server = try await ServerUnderTest.inMemory(
            clients: [
                try ConfidentialClient.registration("basic", .clientSecretBasic) {
                    $0.scope = try Scope(parsing: "openid profile api:read")
                }
            ]
        ) { $0.scopes += [ScopeDescription(name: "openid"), ScopeDescription(name: "profile")] }
        let client = try ConfidentialClient(server, "basic")
        #expect(try await client.tokens(fields: client.basic).json["scope"] == "api:read")
        for scope in ["openid", "api:read profile", "api:write"] {
            expect(try await client.tokens(["scope": scope], fields: client.basic), isError: "invalid_scope")
        }
    }

    @Test func `a confidential client signs people in, and its refresh token needs the secret`() async throws {
        let server = try await ConfidentialClient.server()
        let client = try ConfidentialClient(server, "basic")
        let prover = FakeClient(server, clientID: "basic", key: try TestKey.p256(2))
        let attempt = prover.attempt()
        let pushed = try await prover.post("/par", attempt.parameters, fields: client.basic).string("request_uri")
        let query: FormParameters = ["client_id": "basic", "request_uri": pushed]
        let browser = try await server.signedInBrowser()
        let page = await browser.get("/authorize?" + query.encoded())
        let code = try #require(try await browser.decide("allow", on: page).callback()["code"])
        expect(try await prover.redeem(code, attempt), isError: "invalid_client")
        let tokens = try await prover.post("/token", prover.exchange(code, attempt), fields: client.basic)
        #expect(tokens.status == 200)
        let refresh = prover.refreshing(try tokens.string("refresh_token"))
        expect(try await prover.post("/token", refresh), isError: "invalid_client")
        #expect(try await prover.post("/token", refresh, fields: client.basic).status == 200)
    }
}

extension RegisteredClient {
    fileprivate func with(_ change: (inout RegisteredClient) -> Void) -> RegisteredClient {
        var client = self
        change(&client)
        return client
    }
}
