// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import PKCE
import ServerStage
import ServerStorage
import StorageSuite
import StrictJSON
import TestSupport
import Testing

@Suite("Introspection and attacks on it, RFC 7662", .overSocketsOnEveryStore)
struct IntrospectionAttackTests {
    private static let inactive: JSONObject = ["active": false]

    @Test func `the API learns what an access token is good for`() async throws {
        let server = try await ConfidentialClient.server()
        let client = try FakeClient(server)
        let token = try await client.signIn().string("access_token")
        let response = await (try ConfidentialClient(server, "api")).introspect(token)
        #expect(response.status == 200)
        #expect(response.fields["Cache-Control"] == "no-store")
        let answer = response.json
        #expect(answer["active"] == true)
        #expect(answer["client_id"] == "app" && answer["sub"] == "subject-of-ada" && answer["scope"] == "api:read")
        #expect(answer["iss"] == .string(ServerUnderTest.issuer) && answer["aud"] == .string(ServerUnderTest.audience))
        #expect(answer["token_type"] == "DPoP" && answer["cnf"] == ["jkt": .string(client.thumbprint)])
        let now = server.clock.now().secondsSince1970
        #expect(answer["iat"] == .number(JSONNumber(now)))
        #expect(answer["exp"] == .number(JSONNumber(now + 300)))
        // The identifier of the grant is internal.
        #expect(answer["grant_id"] == nil)
    }

    @Test func `attack 115, introspection_without_auth`() async throws {
        let server = try await ConfidentialClient.server()
        let token = try await FakeClient(server).signIn().string("access_token")
        let requests: [FormParameters] = [
            ["token": token], ["token": token, "client_id": "app"], ["token": token, "client_id": "api"],
            ["token": token, "client_id": "api", "client_secret": "wrong"],
        ]
        for parameters in requests {
            let response = await server.post("/introspect", parameters)
            expect(response, isError: "invalid_client", status: 401)
            #expect(response.fields["WWW-Authenticate"]?.hasPrefix("Basic ") == true)
        }
    }

    @Test func `attack 116, introspection_by_other_rs_returns_inactive`() async throws {
        let server = try await ServerUnderTest.inMemory(
            clients: [
                try ConfidentialClient.registration("basic", .clientSecretBasic) {
                    $0.introspectionAudiences = ["https://other.example.com", ServerUnderTest.audience + "/"]
                },
                try ConfidentialClient.registration("api", .clientSecretBasic) {
                    $0.introspectionAudiences = [ServerUnderTest.audience]
                },
            ]
        )
        let tokens = try await FakeClient(server).signIn()
        let other = try ConfidentialClient(server, "basic")
        for name in ["access_token", "refresh_token"] {
            #expect(await other.introspect(try tokens.string(name)).json == Self.inactive)
        }
        // An API cannot introspect refresh tokens.
        let api = try ConfidentialClient(server, "api")
        #expect(await api.introspect(try tokens.string("refresh_token")).json == Self.inactive)
        // A client can introspect its own token, whatever API it is for.
        let own = try await other.tokens(fields: other.basic).string("access_token")
        #expect(await other.introspect(own).json["active"] == true)
    }

    @Test(arguments: ["access_token", "refresh_token"])
    func `attack 111, at_revoked_seen_by_introspecting_rs`(name: String) async throws {
        let server = try await ConfidentialClient.server()
        let api = try ConfidentialClient(server, "api")
        let tokens = try await FakeClient(server).signIn()
        let token = try tokens.string("access_token")
        #expect(await api.introspect(token).json["active"] == true)
        let revocation: FormParameters = ["client_id": "app", "token": try tokens.string(name)]
        #expect(await server.post("/revoke", revocation).status == 200)
        let answer = await api.introspect(token)
        #expect(answer.json == Self.inactive, "\(answer.text)")
    }

    @Test func `a token that is expired, revoked or none at all is not active, and nothing else is said`() async throws
    {
        let server = try await ConfidentialClient.server()
        let api = try ConfidentialClient(server, "api")
        let client = try FakeClient(server)
        let revoked = try await client.signIn().string("access_token")
        #expect(await server.post("/revoke", ["client_id": "app", "token": revoked]).status == 200)
        #expect(await api.introspect(revoked).json == Self.inactive)
        let expired = try await client.signIn().string("access_token")
        #expect(await api.introspect(expired).json["active"] == true)
        server.clock.advance(by: .seconds(3600))
        #expect(await api.introspect(expired).json == Self.inactive)
        for text in ["x", "a.b.c", "kbr_x", expired + "x"] {
            #expect(await api.introspect(text).json == Self.inactive)
        }
        expect(await server.post("/introspect", [:], fields: api.basic), isError: "invalid_request")
    }

    @Test func `a refresh token is active for its client until it is spent`() async throws {
        let server = try await ServerUnderTest.inMemory(
            clients: [try ConfidentialClient.registration("basic", .clientSecretBasic)]
        )
        let client = try ConfidentialClient(server, "basic")
        let (now, grantID) = (server.clock.now(), Grant.newID(in: 0, at: server.clock.now(), server.entropy))
        let token = try #require(GrantSecret.make(.refreshToken, for: grantID, at: now, server.entropy))
        let secret = try #require(GrantSecret(token, as: .refreshToken))
        let stored = StoredRefreshToken(
            tokenHash: secret.hash,
            familyHash: try #require(secret.familyHash),
            grantID: grantID,
            clientID: "basic",
            scope: try Scope(parsing: "api:read"),
            dpopThumbprint: try TestKey.p256(2).publicKey.thumbprint,
            expiresAt: now + .seconds(600)
        )
        try await server.issue(stored)
        let answer = await client.introspect(token).json
        #expect(answer["active"] == true && answer["client_id"] == "basic" && answer["scope"] == "api:read")
        #expect(answer["cnf"] == ["jkt": .string(try TestKey.p256(2).publicKey.thumbprint.description)])
        let prover = FakeClient(server, clientID: "basic", key: try TestKey.p256(2))
        let next = try await prover.post("/token", prover.refreshing(token), fields: client.basic)
        #expect(await client.introspect(token).json == Self.inactive)
        let successor = try next.string("refresh_token")
        #expect(await client.introspect(successor).json["active"] == true)
        #expect(await server.post("/revoke", ["token": successor], fields: client.basic).status == 200)
        #expect(await client.introspect(successor).json == Self.inactive)
    }

    @Test func `attack 117, a client's own token is revoked by it, and by nobody else`() async throws {
        let server = try await ConfidentialClient.server()
        let (basic, post) = (try ConfidentialClient(server, "basic"), try ConfidentialClient(server, "post"))
        let token = try await basic.tokens(fields: basic.basic).string("access_token")
        expect(await server.post("/revoke", ["client_id": "basic", "token": token]), isError: "invalid_client")
        #expect(await server.post("/revoke", post.posted.adding("token", token)).status == 200)
        #expect(await basic.introspect(token).json["active"] == true)
        #expect(await server.post("/revoke", ["token": token], fields: basic.basic).status == 200)
        #expect(await basic.introspect(token).json == Self.inactive)
    }
}

extension ServerUnderTest {
    /// Stores a refresh token as a sign-in does.
    fileprivate func issue(_ token: StoredRefreshToken) async throws {
        let now = clock.now()
        let attempt = try FakeClient(self).attempt()
        let handle = SecretHash(of: "handle")
        let request = StoredAuthorizationRequest(
            referenceHash: handle,
            request: AuthorizationRequest(
                clientID: token.clientID,
                redirectURI: "https://app.example.com/callback",
                scope: token.scope,
                state: nil,
                codeChallenge: attempt.verifier.s256Challenge,
                dpopThumbprint: nil
            ),
            expiresAt: now + .seconds(60)
        )
        let recording = Recording(WriteAttempt(id: 1))
        _ = try await storage.add(request, recording: recording, at: now)
        let text = try #require(GrantSecret.make(.code, for: token.grantID, at: now, entropy))
        let secret = try #require(GrantSecret(text, as: .code))
        let code = StoredCode(
            codeHash: secret.hash,
            grantID: token.grantID,
            clientID: token.clientID,
            redirectURI: "https://app.example.com/callback",
            codeChallenge: attempt.verifier.s256Challenge,
            dpopThumbprint: nil,
            expiresAt: now + .seconds(60)
        )
        let grant = Grant(
            id: token.grantID,
            clientID: token.clientID,
            subject: "subject-of-ada",
            scope: token.scope,
            authenticatedAt: now,
            createdAt: now
        )
        #expect(try await storage.issue(code, under: grant, consuming: handle, by: .given, at: now) == .issued)
        let redemption = try await storage.redeem(secret, issuing: token, until: now, recording: recording, at: now)
        #expect(redemption == .done(.first))
    }
}
