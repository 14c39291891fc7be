// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthCrypto
import OAuthSystem
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Opaque access tokens, and introspection of them")
struct OpaqueAccessTokenTests {
    private typealias Server = ResourcefulServer
    private static let inactive: JSONObject = ["active": false]

    @Test func `the API learns what a JWT would say, with the key that the token is bound to`() async throws {
        let server = try await Server.make()
        let client = try Server.client(server)
        let attempt = client.attempt(scope: "vault:open", resources: [Server.vault])
        let response = try await client.tokens(for: attempt)
        #expect(response.json["token_type"] == "DPoP" && response.json["expires_in"] == 60)
        let token = try response.string("access_token")
        #expect(token.utf8.count == 74)
        let answer = await (try ConfidentialClient(server, "vault-api")).introspect(token).json
        #expect(answer["active"] == true && answer["token_type"] == "DPoP")
        #expect(answer["aud"] == .string(Server.vault) && answer["client_id"] == "rich")
        #expect(answer["sub"] == "subject-of-ada" && answer["scope"] == "vault:open")
        #expect(answer["cnf"] == ["jkt": .string(client.thumbprint)])
        #expect(answer["exp"] == .number(JSONNumber(server.clock.now().secondsSince1970 + 60)))
        #expect(answer["grant_id"] == nil)
        server.clock.advance(by: .seconds(60))
        #expect(await (try ConfidentialClient(server, "vault-api")).introspect(token).json == Self.inactive)
    }

    @Test func `attack 111, at_revoked_seen_by_introspecting_rs`() async throws {
        let server = try await Server.make()
        let (client, api) = (try Server.client(server), try ConfidentialClient(server, "vault-api"))
        for name in ["access_token", "refresh_token"] {
            let tokens = try await client.tokens(for: client.attempt(scope: nil, resources: [Server.vault]))
            let token = try tokens.string("access_token")
            #expect(await api.introspect(token).json["active"] == true)
            let other: FormParameters = ["client_id": "other", "token": try tokens.string(name)]
            #expect(await server.post("/revoke", other).status == 200)
            #expect(await api.introspect(token).json["active"] == true)
            let own: FormParameters = ["client_id": "rich", "token": try tokens.string(name)]
            #expect(await server.post("/revoke", own).status == 200)
            let answer = await api.introspect(token)
            #expect(answer.json == Self.inactive, "\(answer.text)")
        }
    }

    @Test func `a code that is used twice ends the token that was given out for it`() async throws {
        let server = try await Server.make()
        let (client, api) = (try Server.client(server), try ConfidentialClient(server, "vault-api"))
        let attempt = client.attempt(scope: nil, resources: [Server.vault])
        let code = try await client.code(for: attempt)
        let token = try await client.redeem(code, attempt).string("access_token")
        expect(try await client.redeem(code, attempt), isError: "invalid_grant")
        #expect(await api.introspect(token).json == Self.inactive)
    }

    @Test func `a client's own token works too, and other APIs learn nothing`() async throws {
        let server = try await Server.make(clients: [
            try ConfidentialClient.registration("files-api", .clientSecretBasic) {
                $0.introspectionAudiences = [Server.files]
            }
        ])
        let service = try ConfidentialClient(server, "service")
        let asked = FormParameters().naming([Server.vault])
        let token = try await service.tokens(asked, fields: service.basic).string("access_token")
        #expect(token.hasPrefix("kba_"))
        #expect(await (try ConfidentialClient(server, "vault-api")).introspect(token).json["sub"] == "service")
        #expect(await service.introspect(token).json["active"] == true)
        #expect(await (try ConfidentialClient(server, "files-api")).introspect(token).json == Self.inactive)
        for wrong in [token + "x", "kba_", "kba_" + String(repeating: "A", count: 43)] {
            #expect(await service.introspect(wrong).json == Self.inactive)
        }
    }

    @Test func `what is stored is a hash`() async throws {
        let server = try await Server.make()
        let client = try Server.client(server)
        let attempt = client.attempt(scope: nil, resources: [Server.vault])
        let token = try await client.tokens(for: attempt).string("access_token")
        let secret = try #require(GrantSecret(token, as: .accessToken))
        let stored = try await server.storage.liveAccessToken(secret, at: server.clock.now())
        #expect(!"\(try #require(stored))".contains(token))
    }

    @Test func `userinfo takes them when the default API has them, and notices that they were revoked`() async throws {
        let server = try await Server.make { configuration in
            configuration.resources.append(ProtectedResource(address: Server.notes, tokenFormat: .opaque))
        }
        let client = try Server.client(server)
        let tokens = try await client.tokens(for: client.attempt(scope: "openid profile api:read"))
        #expect(tokens.json["id_token"] != nil)
        let token = try tokens.string("access_token")
        #expect(token.hasPrefix("kba_"))
        #expect(try await client.userInfo(token).json["preferred_username"] == "ada")
        #expect(try await client.userInfo("kba_x").status == 401)
        #expect(await server.post("/revoke", ["client_id": "rich", "token": token]).status == 200)
        #expect(try await client.userInfo(token).status == 401)
        // A token for another API is none for this one.
        let files = client.attempt(scope: "openid files:read", resources: [Server.files])
        let other = try await client.tokens(for: files).string("access_token")
        #expect(try await client.userInfo(other).status == 401)
    }
}

extension FakeClient {
    /// Asks who somebody is, with a proof and the nonce of that API.
    func userInfo(_ token: String) async throws -> HTTPResponse {
        let first = try await userInfo(token, nonce: nil)
        guard let nonce = first.fields["DPoP-Nonce"], first.status == 401 else { return first }
        return try await userInfo(token, nonce: nonce)
    }

    private func userInfo(_ token: String, nonce: String?) async throws -> HTTPResponse {
        let hash = Base64URL.encode(SHA256.hash(Array(token.utf8)).bytes)
        let proof = try await proof(for: "/userinfo") { claims in
            claims["htm"] = "GET"
            claims["ath"] = .string(hash)
            claims["nonce"] = nonce.map { .string($0) }
        }
        return await server.send(
            HTTPRequest(target: "/userinfo", fields: ["Authorization": "DPoP " + token, "DPoP": try #require(proof)])
        )
    }
}
